namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>A fact about what only Linux has: its own calls, and what it says of the page cache.</summary>
public sealed class LinuxFactAttribute : FactAttribute
{
    public LinuxFactAttribute()
    {
        if (!OperatingSystem.IsLinux())
        {
            Skip = "It uses calls that only Linux has, or what only Linux says of the page cache.";
        }
    }
}
