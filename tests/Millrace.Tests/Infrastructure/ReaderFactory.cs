namespace Millrace.Tests.Infrastructure;

/// <summary>Makes readers of one kind for the contract tests.</summary>
internal abstract class ReaderFactory(string name, ReaderTraits traits)
{
    /// <summary>Its description in the test's name.</summary>
    public string Name { get; } = name;

    public ReaderTraits Traits { get; } = traits;

    /// <summary>A reader of the first <paramref name="length"/> bytes of <see cref="TestContent"/>.</summary>
    public abstract PipeReader Create(int length);

    /// <summary>A reader of bytes that the test hands in one by one; only with <see cref="ReaderTraits.Waits"/>.</summary>
    public virtual FedReader CreateFed() => throw new NotSupportedException(Name);

    public override string ToString() => Name;
}
