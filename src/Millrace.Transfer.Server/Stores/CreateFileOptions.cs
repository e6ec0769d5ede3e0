namespace Millrace.Transfer.Server;

/// <summary>How a file is created.</summary>
public readonly record struct CreateFileOptions
{
    /// <summary>What must be under the name.</summary>
    public WritePrecondition Precondition { get; init; }

    /// <summary>Bytes that will come, as far as anybody knows; room is reserved and limits are checked at once.</summary>
    public long? Length { get; init; }
}
