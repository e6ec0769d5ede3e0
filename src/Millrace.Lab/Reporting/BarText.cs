
namespace Millrace.Lab.Reporting;

/// <summary>How a bar's outcome is written.</summary>
internal static class BarText
{
    public static string Of(BarResult bar) => bar.Met switch
    {
        true => "yes",
        false => "NO",
        null => "-",
    };
}
