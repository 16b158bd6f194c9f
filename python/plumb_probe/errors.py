# SPDX-License-Identifier: Apache-2.0
"""Errors: what is wrong, where, and what to do."""
from __future__ import annotations


class PlumbError(Exception):
    """An internal error. `str(error)` is one line: file:line: field: message; remedy.

    The attributes `file`, `field`, `setting` and `remedy` are None, and `line` is 0, if the error does not set them. `setting` is the
    name of the argument that the error is about. Lines count from 1.
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
    """An error that the caller can fix: in an argument, a file, or the caller's own engine."""
