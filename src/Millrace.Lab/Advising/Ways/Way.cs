namespace Millrace.Lab.Advising.Ways;

/// <summary>A method of the suite "bytes": how bytes arrive, and how they are walked over.</summary>
/// <param name="Arrival">For example "Increments".</param>
/// <param name="Walk">For example "Span".</param>
internal readonly record struct Way(string Arrival, string Walk)
{
    public const string AsyncBytes = "AsyncBytes";
    public const string AllAtOnce = "AllAtOnce";
    public const string Increments = "Increments";
    public const string Completion = "Completion";
    public const string MillraceBytes = "MillraceBytes";

    public const string For = "For";
    public const string ForEach = "ForEach";
    public const string Reduce = "Reduce";
    public const string Span = "Span";
    public const string Vector = "Vector";
    public const string AwaitForEach = "AwaitForEach";

    /// <summary>The way that the others are compared with, here and by others.</summary>
    public const string Baseline = $"{Increments}.{Span}";

    /// <summary>Walks without a view of the memory itself.</summary>
    public static readonly string[] SafeWalks = [For, ForEach, Reduce];

    /// <summary>Takes a method's name apart; a name without a dot is all arrival.</summary>
    public static Way Of(string method)
    {
        int dot = method.IndexOf('.', StringComparison.Ordinal);
        return dot < 0 ? new Way(method, "") : new Way(method[..dot], method[(dot + 1)..]);
    }

    /// <summary>The method's name.</summary>
    public override string ToString() => $"{Arrival}.{Walk}";
}
