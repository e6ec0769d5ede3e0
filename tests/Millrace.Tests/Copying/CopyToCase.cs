namespace Millrace.Tests.Copying;

/// <summary>One random copy: the source, the bytes read before, the destination, and its earlier content.</summary>
internal sealed record CopyToCase(
    int FileLength, FileReadOptions Reading, int Consumed, int Examined, CopyTarget Target, int Before, bool PortableWriter);
