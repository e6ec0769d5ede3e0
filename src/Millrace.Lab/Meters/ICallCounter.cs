namespace Millrace.Lab.Meters;

/// <summary>A count of calls into the kernel that the whole process has made.</summary>
internal interface ICallCounter : IDisposable
{
    /// <summary>Where the number comes from.</summary>
    string Source { get; }

    /// <summary>The count so far, what counting itself calls included.</summary>
    long Read();
}
