using System.ComponentModel;

namespace Millrace.Lab.Network;

internal static class NetworkTool
{
    private static readonly TimeSpan LongEnough = TimeSpan.FromSeconds(30);

    /// <exception cref="LinkUnavailableException">It is not there, or it failed; the message has its output.</exception>
    public static string Run(string tool, params IReadOnlyList<string> arguments)
    {
        (int exitCode, string output, string error) = Start(tool, arguments);
        return exitCode == 0
            ? output
            : throw new LinkUnavailableException(
                $"A shaped link could not be made: '{tool} {string.Join(' ', arguments)}' failed: {FirstLine(error)}");
    }

    /// <summary>Runs one whose failure is ignored, as when its object is gone already.</summary>
    public static string? TryRun(string tool, params IReadOnlyList<string> arguments)
    {
        try
        {
            (int exitCode, string output, _) = Start(tool, arguments);
            return exitCode == 0 ? output : null;
        }
        catch (LinkUnavailableException)
        {
            return null;
        }
    }

    private static CapturedRun Start(string tool, IReadOnlyList<string> arguments)
    {
        var start = new ProcessStartInfo(tool, arguments);

        // The messages are parsed in English.
        start.Environment["LC_ALL"] = "C";
        try
        {
            return CapturedRun.Of(start, LongEnough);
        }
        catch (Win32Exception exception)
        {
            throw new LinkUnavailableException(
                $"A shaped link needs '{tool}', which could not be started ({exception.Message}); on Debian: apt install iproute2 util-linux.",
                exception);
        }
    }

    private static string FirstLine(string text) => text.Trim().Split('\n')[0];
}
