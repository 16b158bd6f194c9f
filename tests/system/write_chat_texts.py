# SPDX-License-Identifier: Apache-2.0
"""Writes chat_texts.jsonl, with which test_chat.py compares plumb: the texts that transformers' apply_chat_template makes from
the chat templates that llama.cpp publishes. Needs transformers and jinja2.

    python3 write_chat_texts.py FOLDER_OF_TEMPLATES > chat_texts.jsonl
"""

import datetime
import hashlib
import json
import pathlib
import sys

from transformers.utils import chat_template_utils

TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
USER = {"role": "user", "content": "The capital of Côte d'Ivoire is"}
ANSWER = {"role": "assistant", "content": "Yamoussoukro."}
SYSTEM = {"role": "system", "content": "Answer with one <word> & no \"more\"."}
AGAIN = {"role": "user", "content": "  The capital of Japan\nis  "}
CONVERSATIONS = {
    "question": ([USER], True),
    "system": ([SYSTEM, USER], True),
    "shots": ([USER, ANSWER, AGAIN], True),
    "system and shots": ([SYSTEM, USER, ANSWER, AGAIN, ANSWER, USER], True),
    "answered": ([USER, ANSWER], False),
}
LONGEST = 600  # the SHA-256 replaces longer texts


class July(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2024, 7, 26, 12, tzinfo=tz)


def text_of(template, messages, opens):
    try:
        made, _ = chat_template_utils.render_jinja_template(
            [messages], chat_template=template, add_generation_prompt=opens, **TOKENS)
        return made[0]
    except Exception:  # templates raise many types
        return None


def main():
    chat_template_utils.datetime = July
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*.jinja")):
        template = file.read_text(encoding="utf-8")
        for name, (messages, opens) in CONVERSATIONS.items():
            text = text_of(template, messages, opens)
            row = {"template": file.name, "conversation": name, "messages": messages, "opens": opens}
            if text is not None and len(text) > LONGEST:
                row["sha256"] = hashlib.sha256(text.encode()).hexdigest()
            else:
                row["text"] = text
            print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
