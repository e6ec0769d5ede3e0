using System.Diagnostics.CodeAnalysis;
using Millrace.Buffers;

namespace Millrace.Copying;

/// <summary>Which streams are files that the kernel can copy from or to.</summary>
internal static class KernelFile
{
    /// <summary>Fewer bytes are read and written.</summary>
    /// <remarks>One block: below it, going to another thread costs as much as the kernel saves.</remarks>
    public const long WorthIt = BlockPool.BodyBytes;

    /// <summary>Whether it is one; not a class derived from it, which may do something to the bytes.</summary>
    public static bool TryGet(Stream stream, [NotNullWhen(true)] out FileStream? file)
    {
        file = stream as FileStream;
        return file is { CanSeek: true } && file.GetType() == typeof(FileStream);
    }
}
