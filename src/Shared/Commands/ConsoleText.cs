using System.Text;

namespace Millrace.Cli;

/// <summary>How the process writes text.</summary>
internal static class ConsoleText
{
    /// <summary>Writes UTF-8 on Windows as elsewhere: the code pages there have few of the characters that names may have.</summary>
    /// <remarks>A console keeps its code page when the process ends, so the earlier one is set again.</remarks>
    public static void UseUtf8()
    {
        if (OperatingSystem.IsWindows())
        {
            Encoding before = Console.OutputEncoding;
            Console.OutputEncoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
            AppDomain.CurrentDomain.ProcessExit += (_, _) => Console.OutputEncoding = before;
        }
    }
}
