namespace Millrace.Transfer.Server;

/// <summary>A part of a listing's representation, small enough to be in memory for every client that is slow to take it.</summary>
/// <param name="Bytes">Valid until the next piece is asked for.</param>
/// <param name="IsLast">Whether none follows.</param>
internal readonly record struct ListingPiece(ReadOnlyMemory<byte> Bytes, bool IsLast);
