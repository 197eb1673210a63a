"""An X display without a screen (Xvfb), and what a person does on it: xdotool for hands, ImageMagick's import for eyes."""

import ctypes
import os
import shutil
import subprocess
import time

NEEDED = {"Xvfb": "xvfb", "xdotool": "xdotool", "import": "imagemagick"}


def missing_packages():
    return [package for tool, package in NEEDED.items() if shutil.which(tool) is None]


def wait_for(what, ask, deadline_s=60):
    """Asks until the answer is true, and returns it."""
    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.1)
    raise AssertionError(f"{deadline_s} s passed without this: {what}")


class Display:
    def __init__(self, width=1300, height=800):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[writer], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        with open(reader, encoding="ascii") as told:
            number = told.readline().strip()  # it takes a free one, and says which when it is ready
        if not number:
            raise RuntimeError("Xvfb does not start")
        self.name = f":{number}"
        # llvmpipe would take every core for a picture of this size
        self.environment = {**os.environ, "DISPLAY": self.name, "LIBGL_ALWAYS_SOFTWARE": "1", "LP_NUM_THREADS": "1"}
        self.environment.pop("WAYLAND_DISPLAY", None)

    def close(self):
        self.server.terminate()
        self.server.wait()

    def run(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, check=False, timeout=60)

    def window(self, title):
        """The window's number, or nothing."""
        found = self.run("xdotool", "search", "--onlyvisible", "--name", title).stdout.split()
        return found[0].decode() if found else None

    def hand(self, *words):
        done = self.run("xdotool", *words)
        if done.returncode:
            raise AssertionError(f"xdotool {words}: {done.stderr.decode()}")

    def picture(self, window):
        """The window's pixels, three bytes each."""
        done = self.run("import", "-silent", "-window", window, "-depth", "8", "rgb:-")
        if done.returncode:
            raise AssertionError(f"import: {done.stderr.decode()}")
        return done.stdout

    def still_picture(self, window):
        """The same, when it has stopped changing."""
        seen = []

        def same_twice():
            seen.append(self.picture(window))
            return len(seen) > 1 and seen[-1] == seen[-2]

        wait_for("the window stands still", same_twice)
        return seen[-1]

    def ask_to_close(self, window):
        """As the cross on a window's frame does: there is no window manager here that would have one."""
        x11 = X11(self.name)
        x11.delete_window(int(window))
        x11.close()

    def set_dots_per_inch(self, dpi):
        x11 = X11(self.name)
        x11.set_resources(f"Xft.dpi:\t{dpi}\n")
        # The server resets when its last client goes, and forgets the property: this client stays.
        return x11


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("room", ctypes.c_long * 24)]


class X11:
    """The two things that xdotool of Debian 12 cannot do. GLFW needs libX11, so it is there."""

    def __init__(self, display):
        self.library = ctypes.CDLL("libX11.so.6")
        for function in ("XOpenDisplay", "XDefaultRootWindow", "XInternAtom"):
            getattr(self.library, function).restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.library.XOpenDisplay(display.encode()))

    def atom(self, name):
        return self.library.XInternAtom(self.display, name.encode(), 0)

    def delete_window(self, window):
        message = ClientMessage(type=33, window=window, message_type=self.atom("WM_PROTOCOLS"), format=32)
        message.data[0] = self.atom("WM_DELETE_WINDOW")
        self.library.XSendEvent(self.display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(message))

    def set_resources(self, text):
        root = ctypes.c_ulong(self.library.XDefaultRootWindow(self.display))
        string, replace = ctypes.c_ulong(31), 0
        self.library.XChangeProperty(self.display, root, ctypes.c_ulong(self.atom("RESOURCE_MANAGER")), string, 8, replace,
                                     text.encode(), len(text))
        self.library.XSync(self.display, 0)

    def close(self):
        self.library.XCloseDisplay(self.display)
