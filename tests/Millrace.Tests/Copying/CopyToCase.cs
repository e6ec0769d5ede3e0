namespace Millrace.Tests.Copying;

/// <summary>One random copy: what is read, what was read before, what it is copied to, and what is there already.</summary>
internal sealed record CopyToCase(
    int FileLength, FileReadOptions Reading, int Consumed, int Examined, CopyTarget Target, int Before, bool PortableWriter);
