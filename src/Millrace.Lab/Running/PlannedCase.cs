namespace Millrace.Lab.Running;

/// <summary>A case of a suite's plan: a method with its typed parameters.</summary>
/// <param name="Role">Null, or <see cref="LabCase.NoiseRole"/>.</param>
internal abstract record PlannedCase(
    string Method, string? Role, CacheState Cache = CacheState.Hot, CacheFill Fill = CacheFill.LargeWrites)
{
    /// <summary>Its index in the plan; the same in every process.</summary>
    public int Plan { get; init; }

    /// <summary>Whether a process per processor computes all the time meanwhile.</summary>
    public bool IsBusy { get; init; }

    public string Name => Role == LabCase.NoiseRole ? Method + LabCase.NoiseSuffix : Method;

    /// <summary>Names the case for a filter and in messages, for example "FilePipe/128MiB/65536/SequentialScan/hot".</summary>
    public string Id => $"{Name}/{Parameters.Describe()}";

    /// <summary>Whether ratios are against cases of this method and these parameters.</summary>
    public abstract bool IsBaseline { get; }

    /// <summary>Why the meters of this process do not cover the case, because another one does the work; null when they do.</summary>
    public virtual string? Foreign => null;

    /// <summary>Why nothing that the runtime of .NET counts is known of the case; null when it is.</summary>
    public virtual string? Unmanaged => Foreign;

    public virtual bool NeedsServer => false;

    /// <summary>The group of cases that share rounds, as <see cref="RunLimits.Group"/> names it.</summary>
    public string Group => IsBusy ? CaseLoad.Busy : IdleGroup;

    /// <summary>The file whose place in the page cache matters; null when there is none.</summary>
    public virtual TestFile? CachedFile => null;

    public abstract CaseParameters Parameters { get; }

    /// <summary>The name under which a run lists the case as missing.</summary>
    public string Missing => Floor.Is(Method) ? $"rows {Floor.Prefix}*" : MissingCases;

    /// <summary>Its <see cref="Group"/> while nothing else computes.</summary>
    protected virtual string IdleGroup => CacheNames.ToText(Cache);

    /// <summary><see cref="Missing"/> for a case that is not a floor.</summary>
    protected virtual string MissingCases => $"{Group} cases";

    /// <summary>Why the case cannot be measured on this machine; null when it can.</summary>
    public string? WhyNot() => Floor.Is(Method) && !OperatingSystem.IsLinux() ? Floor.WhyNot : Obstacle();

    public abstract CaseMethod Create();

    /// <param name="cache">Controls the cache of <see cref="CachedFile"/>; null in warm-ups.</param>
    public virtual CaseState CreateState(CacheControl? cache) => new(this, cache);

    public virtual void Clear()
    {
    }

    public virtual void Verify()
    {
    }

    /// <summary><see cref="WhyNot"/> on a system that has the calls of the method.</summary>
    protected virtual string? Obstacle() => CachedFile is not { } file ? null
        : Cache == CacheState.Cold ? CacheControl.WhyNoCold(file) : CacheControl.WhyNoHot(file);
}

/// <summary>Brings about the state that a case asks for before every invocation, and checks its result. Not timed.</summary>
internal class CaseState(PlannedCase planned, CacheControl? cache)
{
    /// <summary>The resources that a server in another process used for the last finished invocation; null without one.</summary>
    public virtual ServerUse? Server => null;

    /// <summary>
    /// The part of a link's bandwidth that the last invocation used after its first second; null without a link, and for an
    /// invocation that was shorter.
    /// </summary>
    public virtual double? LinkShare => null;

    /// <summary>The pages that the last finished invocation left in the page cache; null where they were not counted.</summary>
    public virtual PagesLeft? Left => null;

    /// <summary>Lets a server in its own process collect its garbage.</summary>
    /// <returns>Bytes of large objects that it allocated since the last call; null without one, or when it does not know.</returns>
    public virtual long? ServerLargeObjects() => null;

    /// <returns>Null when the state is as the case asks for, otherwise its fault.</returns>
    public virtual string? Prepare()
    {
        planned.Clear();
        return cache?.Prepare(planned.Cache, planned.Fill);
    }

    /// <exception cref="Exception">The invocation did not leave the case's result.</exception>
    public virtual void Finish()
    {
        planned.Verify();
        planned.Clear();
    }
}
