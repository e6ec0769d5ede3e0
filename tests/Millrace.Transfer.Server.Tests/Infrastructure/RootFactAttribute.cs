namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A test that mounts a file system of its own, which only root may, on Linux.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class RootFactAttribute : FactAttribute
{
    public RootFactAttribute()
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
        {
            Skip = "Mounts a file system, for which it has to be run by root on Linux.";
        }
    }
}
