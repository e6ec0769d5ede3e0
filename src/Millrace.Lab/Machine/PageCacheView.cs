using System.ComponentModel;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Lab.Machine;

/// <summary>Says how much of a file is in the page cache, drops it from there and reads it in. Not thread-safe.</summary>
/// <remarks>
/// The file is mapped and never touched: mincore(2) asks about the mapping, and an untouched one neither keeps pages in
/// the cache nor brings any in.
/// </remarks>
[SupportedOSPlatform("linux")]
internal sealed unsafe class PageCacheView : IDisposable
{
    private const int ReadInBytes = 1024 * 1024;

    private readonly SafeFileHandle _file;
    private readonly nint _address;
    private readonly byte[] _pages;

    public PageCacheView(string path)
    {
        Path = path;
        _file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        Bytes = RandomAccess.GetLength(_file);
        _address = LinuxFile.Map(
            0, (nuint)Bytes, LinuxFile.ProtectionRead, LinuxFile.MapShared, _file, 0);
        if (_address == -1)
        {
            var error = new Win32Exception(Marshal.GetLastPInvokeError());
            _file.Dispose();
            throw error;
        }

        _pages = GC.AllocateUninitializedArray<byte>(
            checked((int)((Bytes + Environment.SystemPageSize - 1) / Environment.SystemPageSize)), pinned: true);
    }

    public string Path { get; }
    public long Bytes { get; }

    /// <summary>
    /// Whether the kernel's answer about this file is true: to processes that may not write it, it reports every page as
    /// resident (since Linux 5.2, as the cache would reveal which files others read).
    /// </summary>
    public static bool IsTruthful(string path) => LinuxFile.Access(path, LinuxFile.AccessWrite) == 0;

    /// <summary>The part of the file that is in the page cache, 0 to 1.</summary>
    public double ResidentFraction()
    {
        fixed (byte* pages = _pages)
        {
            if (LinuxFile.Resident(_address, (nuint)Bytes, pages) != 0)
            {
                throw new Win32Exception(Marshal.GetLastPInvokeError());
            }
        }

        // Only the lowest bit is defined.
        int resident = 0;
        foreach (byte page in _pages)
        {
            resident += page & 1;
        }

        return (double)resident / _pages.Length;
    }

    /// <summary>Writes dirty pages to the disk and drops the file from the cache, where nothing else keeps it there.</summary>
    public void Drop()
    {
        // Dirty pages are not dropped; read-only descriptors may be flushed too.
        RandomAccess.FlushToDisk(_file);
        int error = LinuxFile.Advise(_file, 0, 0, LinuxFile.AdviceDoNotNeed);
        if (error != 0)
        {
            throw new Win32Exception(error);
        }
    }

    public void ReadIn()
    {
        byte[] array = GC.AllocateUninitializedArray<byte>(ReadInBytes);
        long offset = 0;
        int read;
        while ((read = RandomAccess.Read(_file, array, offset)) > 0)
        {
            offset += read;
        }
    }

    public void Dispose()
    {
        if (!_file.IsClosed)
        {
            _ = LinuxFile.Unmap(_address, (nuint)Bytes);
            _file.Dispose();
        }
    }
}
