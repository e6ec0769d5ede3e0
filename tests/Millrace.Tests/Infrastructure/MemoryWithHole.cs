using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Infrastructure;

/// <summary>
/// Memory of this process with a page after it that maps bytes past the end of a file. Read through /proc/self/mem, it is a
/// file of which the first bytes are good and the next ones are an I/O error, a real one.
/// </summary>
internal sealed unsafe partial class MemoryWithHole : IDisposable
{
    private const int PageBytes = 4096;
    private const int Protection = 3; // PROT_READ | PROT_WRITE
    private const int Anonymous = 0x22; // MAP_PRIVATE | MAP_ANONYMOUS
    private const int Fixed = 0x12; // MAP_PRIVATE | MAP_FIXED

    private readonly nint _address;

    /// <param name="length">Good bytes, a multiple of a page; the first bytes of <see cref="TestContent"/>.</param>
    public MemoryWithHole(int length)
    {
        Length = length;
        _address = Map(0, (nuint)(length + PageBytes), Protection, Anonymous, -1, 0);
        using SafeFileHandle empty = File.OpenHandle(
            System.IO.Path.GetTempFileName(), FileMode.Open, FileAccess.Read, FileShare.Delete, FileOptions.DeleteOnClose);

        // Not unmapped: another thread could get that address for its own memory.
        if (_address == -1 || Map(_address + length, PageBytes, Protection, Fixed, (int)empty.DangerousGetHandle(), 0) == -1)
        {
            throw new Win32Exception();
        }

        TestContent.Of(length).Span.CopyTo(new Span<byte>((void*)_address, length));
    }

    public static string Path => "/proc/self/mem";

    public int Length { get; }

    /// <summary>Where in <see cref="Path"/> the good bytes begin.</summary>
    public long Offset => _address;

    public void Dispose() => _ = Unmap(_address, (nuint)(Length + PageBytes));

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint Map(nint address, nuint length, int protection, int flags, int file, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int Unmap(nint address, nuint length);
}
