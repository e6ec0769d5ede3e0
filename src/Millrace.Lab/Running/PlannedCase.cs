using Millrace.Lab.Results;

namespace Millrace.Lab.Running;

/// <summary>A case of a suite's plan: a method of a benchmark class, with parameters.</summary>
/// <param name="Method">Its name in results, but for the second copy of a case.</param>
/// <param name="Role">Null, or <see cref="LabCase.NoiseRole"/>.</param>
internal abstract record PlannedCase(string Method, string? Role)
{
    /// <summary>Its index in the plan; the same in every process.</summary>
    public int Plan { get; init; }

    /// <summary>The name in results.</summary>
    public string Name => Role == LabCase.NoiseRole ? Method + LabCase.NoiseSuffix : Method;

    /// <summary>Whether its parameters are those of a baseline, if its method is one.</summary>
    public virtual bool MayBeBaseline => true;

    /// <summary>
    /// Why meters of this process say nothing about the case, because another one does the work; null when they do.
    /// </summary>
    public virtual string? Foreign => null;

    /// <summary>The class that has the method.</summary>
    public abstract Type BenchmarkClass { get; }

    /// <summary>What the class calls the method.</summary>
    public abstract string BenchmarkMethod { get; }

    /// <summary>The parameters as results name them.</summary>
    public abstract CaseParameters Parameters { get; }

    /// <summary>The parameters as the benchmark class names them.</summary>
    public abstract IReadOnlyDictionary<string, object> Values { get; }
}
