namespace Millrace.Lab.Tests.Infrastructure;

/// <summary>A fact about shaped links: for root on Linux, where the kernel allows them.</summary>
public sealed class LinkFactAttribute : FactAttribute
{
    private static readonly Lazy<string?> Missing = new(FindMissing);

    public LinkFactAttribute() => Skip = Missing.Value!;

    private static string? FindMissing()
    {
        if (!OperatingSystem.IsLinux())
        {
            return "There are network namespaces on Linux only.";
        }

        try
        {
            ShapedLink.Create(1_000_000).Dispose();
            return null;
        }
        catch (LinkUnavailableException exception)
        {
            return exception.Message;
        }
    }
}
