namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>A fact about what uses Linux's own calls.</summary>
public sealed class LinuxFactAttribute : FactAttribute
{
    public LinuxFactAttribute()
    {
        if (!OperatingSystem.IsLinux())
        {
            Skip = "It uses calls that only Linux has.";
        }
    }
}
