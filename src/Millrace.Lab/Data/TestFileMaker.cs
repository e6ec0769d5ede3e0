using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Lab.Data;

/// <summary>Writes the laboratory's files: the integers 0, 1, 2 … as little-endian 64-bit values.</summary>
internal static class TestFileMaker
{
    /// <summary>The pieces in which a file is written unless asked otherwise.</summary>
    public const int LargeWrite = 1024 * 1024;

    /// <summary>The pieces of <see cref="CacheFill.SmallWrites"/>: one page.</summary>
    public const int SmallWrite = 4096;

    /// <summary>
    /// Makes the file, or writes its content again in place so that it stays where it is on the disk, and flushes it.
    /// </summary>
    /// <exception cref="IOException">The disk is full or the folder cannot be written.</exception>
    public static void Write(TestFile file, int pieceBytes)
    {
        if (!file.Generated)
        {
            throw new InvalidOperationException("A user's own file is never written.");
        }

        Directory.CreateDirectory(Path.GetDirectoryName(file.Path)!);
        using SafeFileHandle handle = File.OpenHandle(
            file.Path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.Read);
        if (RandomAccess.GetLength(handle) > file.Bytes)
        {
            RandomAccess.SetLength(handle, file.Bytes);
        }

        long[] values = new long[pieceBytes / sizeof(long)];
        long next = 0;
        for (long offset = 0; offset < file.Bytes; offset += pieceBytes)
        {
            for (int i = 0; i < values.Length; i++)
            {
                long value = next++;
                values[i] = BitConverter.IsLittleEndian
                    ? value
                    : System.Buffers.Binary.BinaryPrimitives.ReverseEndianness(value);
            }

            int bytes = (int)Math.Min(pieceBytes, file.Bytes - offset);
            RandomAccess.Write(handle, MemoryMarshal.AsBytes<long>(values)[..bytes], offset);
        }

        // Written back now and not during a measurement.
        RandomAccess.FlushToDisk(handle);
    }
}
