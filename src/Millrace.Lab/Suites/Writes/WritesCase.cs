using Millrace.Lab.Data;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Writes;

/// <summary>A case of the plan.</summary>
/// <param name="Method">Its name in results.</param>
/// <param name="Folder">Where the method writes; see <see cref="ResultFolder"/>.</param>
/// <param name="Role">Null, or "noise".</param>
internal abstract record WritesCase(string Method, string Folder, string? Role) : PlannedCase(Method, Role)
{
    /// <inheritdoc/>
    public override string BenchmarkMethod => Method;

    /// <summary>Whether the time that the device takes is part of the case.</summary>
    public virtual bool IsDurable => false;

    /// <summary>What is read, which has to be in the page cache; null where nothing is.</summary>
    public virtual TestFile? Source => null;

    /// <summary>The way of writing that the method's name promises; null where it promises none.</summary>
    public virtual WriteStrategy? Strategy => null;

    /// <summary>The same with very little to do, for warm-ups.</summary>
    /// <param name="inputs">The files of <see cref="WritesInputs"/>.</param>
    public abstract WritesCase Small(WritesInputs inputs);

    /// <summary>Reads back what an invocation wrote, and compares all of it.</summary>
    /// <exception cref="WrongResultException">It is not what was to be written.</exception>
    public abstract void Verify();
}
