namespace Millrace.Appending;

/// <summary>Where an <see cref="AppendPiece"/> is.</summary>
internal enum PieceState
{
    /// <summary>Nothing to do and nothing to tell.</summary>
    Idle,

    /// <summary>The log has it.</summary>
    Running,

    /// <summary>It is over; the writer has not taken the result yet.</summary>
    Ended,
}
