namespace Millrace.Transfer.Tests.Framing;

/// <summary>One message.</summary>
/// <param name="Data">The file's bytes in it.</param>
/// <param name="HasData">Whether it has the field at all.</param>
/// <param name="Rest">Its other fields.</param>
internal sealed record ParsedChunk(byte[] Data, bool HasData, byte[] Rest);
