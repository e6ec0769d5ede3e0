namespace Millrace.Transfer.Server;

/// <summary>A part of a listing's representation, small enough to be in memory for every client that is slow to take it.</summary>
internal readonly record struct ListingPiece(byte[] Bytes, bool IsLast);
