# SPDX-License-Identifier: Apache-2.0
"""Starts a llama-server or a vLLM on this machine; tests and benchmarks use it."""
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

LLAMA_SERVER = os.environ.get("PLUMB_LLAMA_SERVER", "")
# The Python of an environment with vLLM; tests/servers.sh makes one.
VLLM = os.environ.get("PLUMB_VLLM", "")
# As exact as plumb computes by itself. One thread: the server's threads wait for each other by spinning.
EXACT = ["-fa", "off", "-ctk", "f32", "-ctv", "f32", "-t", "1", "--poll", "0", "--no-warmup", "--offline"]
# Flags for speed. Without `-kvu`, the server computes prompts of different lengths in separate batches; with it, the
# prompt cache in RAM would empty idle slots.
FAST = ["-kvu", "--cache-ram", "0"]
# Variables that set how OpenMP's threads wait for each other.
OPENMP = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    """One that has loaded its model."""

    def __init__(self, name, words, port, seconds, environment=None):
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.log = tempfile.NamedTemporaryFile(mode="r+", prefix=name)
        self.process = subprocess.Popen(list(map(str, words)), stdout=self.log, stderr=subprocess.STDOUT, env=environment,
                                        start_new_session=True)
        for _ in range(seconds * 10):
            if self.process.poll() is not None:
                raise AssertionError(f"{name} ended with {self.process.returncode}:\n{self.said()}")
            try:
                with urllib.request.urlopen(self.url + "/health", timeout=5) as reply:
                    if reply.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        self.kill()
        raise AssertionError(f"{name} did not answer within {seconds} s:\n{self.said()}")

    def said(self):
        return pathlib.Path(self.log.name).read_text(errors="replace")[-3000:]

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # vLLM's model is in a process of its own
        except ProcessLookupError:
            pass
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


class LlamaServer(Server):
    """`waits_actively`: whether its threads wait for each other as a user's server does, even if OMP_WAIT_POLICY is set here."""

    def __init__(self, model, *flags, port=None, slots=4, context=512, waits_actively=False):
        port = port or free_port()
        super().__init__("llama-server", [LLAMA_SERVER, "-m", model, "--host", "127.0.0.1", "--port", port, "-np", slots, "-c",
                                          slots * context, *EXACT, *flags], port, 60,
                         {name: value for name, value in os.environ.items() if name not in OPENMP or not waits_actively})


class VllmServer(Server):
    def __init__(self, folder, context=1024):
        port = free_port()
        words = [VLLM, "-m", "vllm.entrypoints.openai.api_server", "--model", folder, "--dtype", "float32", "--host", "127.0.0.1",
                 "--port", port, "--max-model-len", context, "--enable-prompt-tokens-details"]
        super().__init__("vLLM", words, port, 400, {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1"})
