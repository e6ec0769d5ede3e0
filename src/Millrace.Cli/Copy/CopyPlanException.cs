namespace Millrace.Cli.Copy;

/// <summary>Why nothing was copied, for a person.</summary>
internal sealed class CopyPlanException(string message) : Exception(message);
