"""Runs a program and writes down which memory it and its children read files into and write them from.

usage: steps.py [--calls] LOG FOLDER PROGRAM [ARGUMENT...]

One line in LOG for each piece of memory of each call on a file below FOLDER: name of the call, "r" or "w", address, bytes (of a
read, no more than the file has), offset in the file, path. With --calls, one line for each call on FOLDER or a file below it, whatever
the call does: its name and the path, which is that of the folder for a name in it. A filter makes the kernel stop the program at these calls alone:
seccomp(2), ptrace(2), Linux on x86-64 and arm64.
"""
import ctypes, os, platform, signal, struct, sys

NUMBERS = {
    "x86_64": {19: "readv", 20: "writev", 17: "pread64", 18: "pwrite64", 295: "preadv", 296: "pwritev", 327: "preadv2", 328: "pwritev2"},
    "aarch64": {65: "readv", 66: "writev", 67: "pread64", 68: "pwrite64", 69: "preadv", 70: "pwritev", 286: "preadv2", 287: "pwritev2"},
}[platform.machine()]
# Calls on an open file, and calls that take a folder and a name: of those with a path, the argument that it is.
ON_FILES = {
    "x86_64": {0: "read", 1: "write", 3: "close", 5: "fstat", 8: "lseek", 73: "flock", 74: "fsync", 75: "fdatasync", 77: "ftruncate",
               91: "fchmod", 93: "fchown", 138: "fstatfs", 193: "fgetxattr", 199: "fremovexattr", 221: "fadvise64", 277: "sync_file_range", 285: "fallocate"},
    "aarch64": {63: "read", 64: "write", 57: "close", 80: "fstat", 62: "lseek", 32: "flock", 82: "fsync", 83: "fdatasync", 46: "ftruncate",
                52: "fchmod", 55: "fchown", 44: "fstatfs", 10: "fgetxattr", 16: "fremovexattr", 223: "fadvise64", 84: "sync_file_range", 47: "fallocate"},
}[platform.machine()]
ON_NAMES = {
    "x86_64": {257: "openat", 262: "newfstatat", 263: "unlinkat", 264: "renameat", 316: "renameat2", 332: "statx", 439: "faccessat2",
               2: "open", 4: "stat", 6: "lstat", 21: "access", 82: "rename", 87: "unlink", 89: "readlink", 191: "getxattr"},
    "aarch64": {56: "openat", 79: "newfstatat", 35: "unlinkat", 38: "renameat", 276: "renameat2", 291: "statx", 439: "faccessat2", 8: "getxattr"},
}[platform.machine()]
BY_PATH = ("open", "stat", "lstat", "access", "rename", "unlink", "readlink", "getxattr")
TRACEME, CONT, SETOPTIONS, GET_SYSCALL_INFO = 0, 7, 0x4200, 0x420E
OPTIONS = 0x100000 | 0x80 | 0x02 | 0x04 | 0x08 | 0x10  # EXITKILL, TRACESECCOMP, FORK, VFORK, CLONE, EXEC
EVENT_SECCOMP, ALL_CHILDREN = 7, 0x40000000
ALLOW, TRACE = 0x7FFF0000, 0x7FF00000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, task, address=0, data=0):
    if libc.ptrace(request, task, address, data) < 0 and ctypes.get_errno() != 3:  # ESRCH: it has ended
        raise OSError(ctypes.get_errno(), "ptrace")


def stop_at_calls():
    # Classic BPF: load the call's number; for each of ours jump to the last instruction.
    numbers = list(NUMBERS)
    code = struct.pack("HBBI", 0x20, 0, 0, 0)
    for at, number in enumerate(numbers):
        code += struct.pack("HBBI", 0x15, len(numbers) - at, 0, number)
    code += struct.pack("HBBI", 0x06, 0, 0, ALLOW) + struct.pack("HBBI", 0x06, 0, 0, TRACE)
    program = ctypes.create_string_buffer(code)
    filter = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(program)))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(filter), 0, 0):  # PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP
        raise OSError(ctypes.get_errno(), "prctl")


def write_down(task, log, folder):
    info = ctypes.create_string_buffer(88)
    ptrace(GET_SYSCALL_INFO, task, len(info), ctypes.addressof(info))
    number, descriptor, memory, count, offset = struct.unpack_from("QQQQQ", info, 24)
    name = NUMBERS.get(number)
    try:
        link = f"/proc/{task}/fd/{descriptor}"
        path = os.readlink(link)
        if name is None or not path.startswith(folder):
            return
        pieces = [(memory, count)]
        if name not in ("pread64", "pwrite64"):
            with open(f"/proc/{task}/mem", "rb", 0) as memory_of_task:
                memory_of_task.seek(memory)
                pieces = list(struct.iter_unpack("QQ", memory_of_task.read(16 * count)))
        size = os.stat(link).st_size
        if name in ("readv", "writev"):
            offset = size
        for address, length in pieces:
            if name.startswith("pread"):
                length = max(0, min(length, size - offset))
            log.write(f"{name} {'r' if 'read' in name else 'w'} {address} {length} {offset} {path}\n")
            offset += length
        log.flush()
    except (FileNotFoundError, ProcessLookupError):
        pass


def write_call_down(task, log, folder):
    info = ctypes.create_string_buffer(88)
    ptrace(GET_SYSCALL_INFO, task, len(info), ctypes.addressof(info))
    number, first, second = struct.unpack_from("QQQ", info, 24)
    name = NUMBERS.get(number) or ON_FILES.get(number) or ON_NAMES[number]
    try:
        path = ""
        if number in ON_NAMES:
            with open(f"/proc/{task}/mem", "rb", 0) as memory:
                memory.seek(first if name in BY_PATH else second)
                path = os.fsdecode(memory.read(4096).split(b"\0")[0])
        if not path.startswith("/") and name not in BY_PATH and first < 1 << 31:
            path = os.path.join(os.readlink(f"/proc/{task}/fd/{first}"), path).rstrip("/")
        if path.startswith(folder):
            log.write(f"{name} {path}\n")
            log.flush()
    except (FileNotFoundError, ProcessLookupError):
        pass


def main():
    calls = sys.argv[1] == "--calls"
    log_path, folder, *command = sys.argv[1 + calls:]
    if calls:
        NUMBERS.update(ON_FILES | ON_NAMES)
    first = os.fork()
    if first == 0:
        ptrace(TRACEME, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        stop_at_calls()
        os.execvp(command[0], command)
    os.waitpid(first, 0)
    ptrace(SETOPTIONS, first, 0, OPTIONS)
    ptrace(CONT, first)
    for ignored in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ignored, lambda number, _: os.kill(first, number))
    known = {first}
    with open(log_path, "w") as log:
        while True:
            task, status = os.waitpid(-1, ALL_CHILDREN)
            if not os.WIFSTOPPED(status):
                if task == first:
                    return os.waitstatus_to_exitcode(status) & 0xFF
                continue
            passed = os.WSTOPSIG(status)
            event = status >> 16
            if event == EVENT_SECCOMP:
                (write_call_down if calls else write_down)(task, log, folder)
            if event or (task not in known and passed == signal.SIGSTOP):
                passed = 0  # not the program's: a stop of ours, or the first one of a new thread
            known.add(task)
            ptrace(CONT, task, 0, passed)


sys.exit(main())
