namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>A fact about the page cache: Linux only, as nothing else says what is in it.</summary>
public sealed class LinuxDiskFactAttribute : FactAttribute
{
    public LinuxDiskFactAttribute()
    {
        if (!OperatingSystem.IsLinux())
        {
            Skip = "Only Linux says what is in the page cache.";
        }
    }
}
