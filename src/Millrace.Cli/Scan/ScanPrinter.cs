using System.Globalization;

namespace Millrace.Cli.Scan;

/// <summary>Results on the standard output, everything else on the error output.</summary>
internal sealed class ScanPrinter
{
    private const string Prefix = "millrace scan: ";

    private readonly ScanArguments _arguments;

    /// <summary>Prints as was asked for.</summary>
    public ScanPrinter(ScanArguments arguments) => _arguments = arguments;

    /// <summary>Prints one file, when it is done.</summary>
    public void Write(ScannedFile file)
    {
        if (file.Error is { } error)
        {
            Console.Error.WriteLine(Prefix + error);
            return;
        }

        if (!_arguments.Json)
        {
            WriteResult(file.Value!.Value, file.Path);
        }

        if (file.RestBytes > 0 && !_arguments.Quiet && Rest(file) is { } rest)
        {
            Console.Error.WriteLine(Prefix + rest);
        }
    }

    /// <summary>Prints what is to be said of all files.</summary>
    public void Write(ScanReport report)
    {
        if (_arguments.Json)
        {
            WriteOutput(ScanJson.Write(report));
        }
        else if (_arguments.Paths.Count > 1 && !report.Stopped)
        {
            WriteResult(report.Count, "total");
        }

        if (report.Stopped)
        {
            Console.Error.WriteLine($"{Prefix}stopped after {report.Files.Count} of {_arguments.Paths.Count} files.");
        }
        else if (!_arguments.Quiet && report.Bytes > 0)
        {
            Console.Error.WriteLine(Prefix + Speed(report));
        }
    }

    private static void WriteResult(Int128 value, string name) =>
        WriteOutput(string.Create(CultureInfo.InvariantCulture, $"{value} {name}"));

    private static void WriteOutput(string text)
    {
        try
        {
            Console.Out.WriteLine(text);
        }
        catch (IOException)
        {
            // Whoever read the output has gone, for example `| head`. The exit code is what counts.
        }
    }

    private static string Speed(ScanReport report)
    {
        double gigabytes = report.Bytes / 1e6 / report.Milliseconds;
        int readers = report.Files.Max(static file => file.Readers);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{report.Bytes} bytes in {report.Milliseconds:0.0} ms, {gigabytes:0.00} GB/s, {readers} {(readers == 1 ? "reader" : "readers")}");
    }

    private string? Rest(ScannedFile file) => _arguments.What switch
    {
        ScanWhat.Lines => $"'{file.Path}' does not end with a line end: its last line, {file.RestBytes} bytes, is not counted.",
        ScanWhat.Sum => $"'{file.Path}' ends with {file.RestBytes} bytes that are no whole number; they are left out.",
        ScanWhat.Records when _arguments.RecordSize > 0 =>
            $"'{file.Path}' ends with {file.RestBytes} bytes that are no whole record; they are not counted.",
        _ => null,
    };
}
