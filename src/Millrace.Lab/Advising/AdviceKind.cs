namespace Millrace.Lab.Advising;

/// <summary>How serious advice is, as BenchmarkDotNet's analysers tell it. The order is that of the output.</summary>
internal enum AdviceKind
{
    /// <summary>The results cannot be used for what they are meant for.</summary>
    Error,

    /// <summary>The results are worth less than they look, or a way of reading has a risk.</summary>
    Warning,

    /// <summary>Something to do, or to know.</summary>
    Hint,
}
