namespace Millrace.Cli.Copy;

/// <summary>What the user asked `millrace copy` for.</summary>
internal sealed record CopyArguments
{
    /// <summary>Files, or folders with <see cref="Recursive"/>.</summary>
    public required IReadOnlyList<string> Sources { get; init; }

    /// <summary>A name, or a folder that the copies go into.</summary>
    public required string Destination { get; init; }

    /// <summary>How each file is copied.</summary>
    public required FileCopyOptions Options { get; init; }

    /// <summary>Whether folders are copied with what is in them.</summary>
    public bool Recursive { get; init; }

    /// <summary>Whether only errors are told.</summary>
    public bool Quiet { get; init; }

    /// <summary>Whether what was done is told as JSON.</summary>
    public bool Json { get; init; }
}
