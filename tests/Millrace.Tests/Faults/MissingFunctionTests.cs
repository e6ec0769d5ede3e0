using System.Reflection;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Tests.Faults;

/// <summary>C libraries and kernels differ in their functions: without any one function, everything works in another way.</summary>
public sealed class MissingFunctionTests : FolderTests
{
    private const BindingFlags Declared = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private static readonly string[] Calls = ["RWF_DONTCACHE", "cachestat", "gettid", "io_uring_enter", "io_uring_setup", "preadv2", "renameat2", "statx"];
    private static readonly string[] Optional =
    [
        "RWF_DONTCACHE", "cachestat", "copy_file_range", "fallocate", "inotify_add_watch", "inotify_init1", "inotify_rm_watch", "ioctl", "preadv2", "renameat2",
        "sync_file_range", "syncfs",
    ];
    private static readonly string[] OfRing = ["eventfd", "io_uring_enter", "io_uring_setup", "write"];
    private static readonly string[] OfMapping =
        ["__libc_current_sigrtmin", "epoll_ctl", "fcntl", "gettid", "mincore", "mremap", "pthread_sigmask", "sigaction", "sigwaitinfo"];

    public static TheoryData<string> Functions =>
    [
        .. from type in typeof(FilePipe).Assembly.GetTypes()
           from method in type.GetMethods(Declared)
           let import = method.GetCustomAttribute<DllImportAttribute>()
           where import?.Value == "libc"
           group method by import.EntryPoint into function
           select function.Key,
        .. Calls,
    ];

    [Trait("Tier", "All")]
    [NeedsTheory(Need.Native), MemberData(nameof(Functions))]
    public async Task Everything_works_without(string function)
    {
        bool needed = !Optional.Contains(function) && !OfRing.Contains(function) && !OfMapping.Contains(function);
        using ChildProcess child = ChildProcess.StartAfter(
            $"export {NativeFeatures.MissingVariable}=nothing,{function}", "every-way", Folder.Path);

        Assert.Equal(
            $"native {!needed}, mapping {!needed && !OfMapping.Contains(function)}, io_uring {!needed && !OfRing.Contains(function)}",
            await child.ReadLineAsync());
        Assert.Equal(0, await child.EndAsync());
    }

    [NeedsFact(Need.Linux)]
    public void Calls_fail_where_all_functions_are_missing()
    {
        using SafeFileHandle file = File.OpenHandle(Folder["file"], FileMode.Create, FileAccess.Write);
        bool missing = Environment.GetEnvironmentVariable(NativeFeatures.MissingVariable) == "all";

        Assert.Equal(missing, Record.Exception(() => DataFlush.Flush(file)) is EntryPointNotFoundException);
    }
}
