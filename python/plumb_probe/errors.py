# SPDX-License-Identifier: Apache-2.0
"""What is wrong, where, and what to do about it."""
from __future__ import annotations


class PlumbError(Exception):
    """Something broke. `str(error)` is one line: file:line: field: message; remedy.

    Attributes: `file`, `field`, `setting` and `remedy` are None and `line` is 0 where nothing was said. A `setting` is
    the name of the argument that it is about. Lines count from 1.
    """

    def __init__(self, message: str, file: str = "", line: int = 0, field: str = "", setting: str = "", remedy: str = ""):
        super().__init__(message)
        self.file: str | None = file or None
        self.line: int = line
        self.field: str | None = field or None
        self.setting: str | None = setting or None
        self.remedy: str | None = remedy or None

    def __reduce__(self):
        return type(self), (str(self), self.file or "", self.line, self.field or "", self.setting or "", self.remedy or "")


class UserError(PlumbError, ValueError):
    """What the caller can correct: an argument, a file, an engine of one's own."""
