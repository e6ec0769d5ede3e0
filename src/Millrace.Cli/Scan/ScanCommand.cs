using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Parsing;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.Json.Serialization;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace scan`.</summary>
internal static class ScanCommand
{
    private const string Details = """
        Divides every file among the processors at the end of a line or record. Prints the number and the name, like `wc`, and
        a total for several files; the speed goes to the error output. A last line without a line end is not counted, which
        is reported; the last record of a file counts, and so does the last line for --find.

        Examples:
          millrace scan access.log
          millrace scan access.log --find " 500 "
          millrace scan export.txt --delimiter 0x1e
          millrace scan samples.bin --sum int64 --json

        Exit codes:
          0    scanned
          1    could not start: wrong arguments
          3    at least one file could not be scanned; the others were
          130  stopped by Ctrl-C
        """;

    public static Command Create()
    {
        var options = new ScanOptions();
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("scan", "Count lines, records or bytes of files, or add up numbers, on all processors.") { help };
        options.AddTo(command);
        command.SetAction(parsed => ScanRunner.Run(options.Read(parsed)));
        return command;
    }
}

/// <summary>The options of `millrace scan`, and which of them go together.</summary>
internal sealed class ScanOptions
{
    private const string Int64 = "int64";

    private readonly Argument<string[]> _files = new("FILE")
    {
        Description = "Files to scan, one after the other.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<string?> _count = new("--count")
    {
        Description = "Count line ends, records or bytes (default: lines; records with --delimiter or --record-size).",
        HelpName = "lines|records|bytes",
    };

    private readonly Option<string?> _find = new("--find")
    {
        Description = "Count only the lines or records that contain this text, byte by byte in UTF-8.",
        HelpName = "TEXT",
    };

    private readonly Option<string?> _sum = new("--sum")
    {
        Description = "Add up the file as 64-bit little-endian integers, without overflow.",
        HelpName = Int64,
    };

    private readonly Option<string?> _delimiter = new("--delimiter")
    {
        Description = @"End records with this byte: a character, \n, \r, \t, \0, \\, or 0x00 to 0xff.",
        HelpName = "BYTE",
    };

    private readonly Option<int?> _recordSize = new("--record-size")
    {
        Description = "Take records of this many bytes.",
        HelpName = "N",
    };

    private readonly Option<int?> _degree = new("--degree")
    {
        Description = "Divide a file among this many readers (default: one per processor, fewer for a small file).",
        HelpName = "N",
    };

    private readonly NoCacheOption _noCache = new();

    private readonly Option<bool> _json = new("--json") { Description = "Write JSON instead of a number and a name." };

    private readonly Option<bool> _quiet = new("--quiet") { Description = "Print results and errors only." };

    public void AddTo(Command command)
    {
        _count.AcceptOnlyFromAmong("lines", "records", "bytes");
        _sum.AcceptOnlyFromAmong(Int64);
        command.Add(_files);
        command.Add(_count);
        command.Add(_find);
        command.Add(_sum);
        command.Add(_delimiter);
        command.Add(_recordSize);
        command.Add(_degree);
        command.Add(_noCache);
        command.Add(_json);
        command.Add(_quiet);
        command.Validators.Add(result =>
        {
            if (Problem(result) is { } problem)
            {
                result.AddError(problem);
            }
        });
    }

    public ScanArguments Read(ParseResult parsed)
    {
        string? count = parsed.GetValue(_count);
        string? text = parsed.GetValue(_find);
        int size = parsed.GetValue(_recordSize) ?? 0;
        string? delimiter = parsed.GetValue(_delimiter);
        bool sums = parsed.GetValue(_sum) is not null;
        return new ScanArguments
        {
            Paths = parsed.GetValue(_files)!,
            What = sums ? ScanWhat.Sum
                : text is not null ? ScanWhat.Find
                : count == "bytes" ? ScanWhat.Bytes
                : count == "records" || size > 0 || delimiter is not null ? ScanWhat.Records
                : ScanWhat.Lines,
            Delimiter = sums || size > 0 ? null
                : delimiter is null ? (byte)'\n'
                : DelimiterText.TryParse(delimiter, out byte value) ? value : throw new InvalidOperationException(delimiter),
            RecordSize = sums ? sizeof(long) : size,
            Text = Encoding.UTF8.GetBytes(text ?? ""),
            Degree = parsed.GetValue(_degree) ?? 0,
            KeepCached = !parsed.GetValue(_noCache),
            Json = parsed.GetValue(_json),
            Quiet = parsed.GetValue(_quiet),
        };
    }

    private string? Problem(CommandResult result)
    {
        string? count = result.GetValue(_count);
        string? delimiter = result.GetValue(_delimiter);
        int? size = result.GetValue(_recordSize);
        bool records = delimiter is not null || size is not null;
        byte end = (byte)'\n';
        if (result.GetValue(_degree) is < 1)
        {
            return "--degree must be 1 or more.";
        }

        if (size is < 1)
        {
            return "--record-size must be 1 or more.";
        }

        if (delimiter is not null && !DelimiterText.TryParse(delimiter, out end))
        {
            return $@"--delimiter: '{delimiter}' is not a byte; use a character, \n, \r, \t, \0, \\, or 0x00 to 0xff.";
        }

        if (delimiter is not null && size is not null)
        {
            return "--delimiter and --record-size exclude each other.";
        }

        if (result.GetValue(_sum) is not null && (count is not null || records || result.GetValue(_find) is not null))
        {
            return "--sum cannot be combined with --count, --find, --delimiter or --record-size.";
        }

        if (count == "records" && !records)
        {
            return "--count records needs --delimiter or --record-size.";
        }

        if (count is "lines" or "bytes" && records)
        {
            return $"--count {count} cannot be combined with --delimiter or --record-size.";
        }

        return result.GetValue(_find) is { } text ? FindProblem(text, count, size, end) : null;
    }

    private static string? FindProblem(string text, string? count, int? size, byte end)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        return count == "bytes" ? "--find counts lines or records, not bytes."
            : bytes.Length == 0 ? "--find needs a text: every line contains an empty one."
            : size is not null && bytes.Length > size ? $"--find has {bytes.Length} bytes, a record {size}: none can contain it."
            : size is null && bytes.Contains(end) ? "--find contains what ends a record: none can contain it."
            : null;
    }
}

/// <summary>A byte as users write one.</summary>
internal static class DelimiterText
{
    /// <summary>For example <c>,</c> or <c>\t</c> or <c>0x1e</c>.</summary>
    public static bool TryParse(string text, out byte value)
    {
        value = text switch
        {
            [var one and < (char)128] => (byte)one,
            @"\n" => (byte)'\n',
            @"\r" => (byte)'\r',
            @"\t" => (byte)'\t',
            @"\0" => 0,
            @"\\" => (byte)'\\',
            _ => 0,
        };
        return value != 0
            || text is @"\0" or "\0"
            || (text.StartsWith("0x", StringComparison.OrdinalIgnoreCase)
                && byte.TryParse(text.AsSpan(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out value));
    }
}

/// <summary>The options of `millrace scan`.</summary>
internal sealed record ScanArguments
{
    public required IReadOnlyList<string> Paths { get; init; }
    public required ScanWhat What { get; init; }
    public byte? Delimiter { get; init; }
    public int RecordSize { get; init; }
    public byte[] Text { get; init; } = [];
    public int Degree { get; init; }
    public bool KeepCached { get; init; }
    public bool Json { get; init; }
    public bool Quiet { get; init; }

    public RecordBoundary Boundary =>
        What == ScanWhat.Bytes ? default
        : RecordSize > 0 ? RecordBoundary.Every(RecordSize)
        : RecordBoundary.After(Delimiter!.Value);
}

/// <summary>The result of a scan.</summary>
internal enum ScanWhat
{
    [JsonStringEnumMemberName("lines")]
    Lines,

    [JsonStringEnumMemberName("records")]
    Records,

    /// <summary>How many bytes there are, every one of them read.</summary>
    [JsonStringEnumMemberName("bytes")]
    Bytes,

    [JsonStringEnumMemberName("find")]
    Find,

    [JsonStringEnumMemberName("sum")]
    Sum,
}

/// <summary>Scans one file after the other and prints.</summary>
internal static class ScanRunner
{
    public static int Run(ScanArguments arguments)
    {
        using var stop = new StopSignal();
        var printer = new ScanPrinter(arguments);
        List<ScannedFile> files = [];
        long started = Stopwatch.GetTimestamp();
        bool stopped = false;
        foreach (string path in arguments.Paths)
        {
            ScannedFile file;
            try
            {
                file = ScanAsync(path, arguments, stop.Token).GetAwaiter().GetResult();
            }
            catch (OperationCanceledException)
            {
                stopped = true;
                break;
            }

            files.Add(file);
            printer.Write(file);
        }

        var report = new ScanReport(
            arguments.What,
            files.Aggregate((Int128)0, static (sum, file) => sum + (file.Value ?? 0)),
            files.Sum(static file => file.Bytes),
            Stopwatch.GetElapsedTime(started).TotalMilliseconds,
            stopped,
            files);
        printer.Write(report);
        return stopped ? ExitCode.Stopped
            : report.Failed > 0 ? ExitCode.FileFailed
            : ExitCode.Success;
    }

    private static async Task<ScannedFile> ScanAsync(string path, ScanArguments arguments, CancellationToken cancellationToken)
    {
        long started = Stopwatch.GetTimestamp();
        try
        {
            RangeTally[] ranges = await FilePipe.ScanAsync(
                path,
                arguments.Degree,
                arguments.Boundary,
                RangeCounter.For(arguments),
                new FileReadOptions { KeepCached = arguments.KeepCached },
                cancellationToken).ConfigureAwait(false);
            RangeTally all = ranges.Aggregate(static (left, right) => left + right);

            // Of a large file there are more ranges than readers.
            int readers = Math.Min(ranges.Length, arguments.Degree == 0 ? Environment.ProcessorCount : arguments.Degree);
            return new ScannedFile(path, all.Value, all.Bytes, all.Rest, readers, Elapsed());
        }
        catch (Exception exception) when (exception is FilePipeException or ArgumentException)
        {
            return new ScannedFile(path, null, 0, 0, 0, Elapsed(), exception.Message);
        }

        double Elapsed() => Stopwatch.GetElapsedTime(started).TotalMilliseconds;
    }
}

/// <summary>Results on the standard output, everything else on the error output.</summary>
internal sealed class ScanPrinter
{
    private const string Prefix = "millrace scan: ";

    private readonly ScanArguments _arguments;

    public ScanPrinter(ScanArguments arguments) => _arguments = arguments;

    public void Write(ScannedFile file)
    {
        if (file.Error is { } error)
        {
            Console.Error.WriteLine(Prefix + PrintableText.Clean(error));
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

    public void Write(ScanReport report)
    {
        if (_arguments.Json)
        {
            TransferCommand.WriteLine(Console.Out, CommandJson.ToDocument(report));
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
        TransferCommand.WriteLine(Console.Out, string.Create(CultureInfo.InvariantCulture, $"{value} {PrintableText.Clean(name)}"));

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
        ScanWhat.Sum => $"'{file.Path}' ends with {file.RestBytes} bytes that are not a whole number; they are left out.",
        ScanWhat.Records when _arguments.RecordSize > 0 =>
            $"'{file.Path}' ends with {file.RestBytes} bytes that are not a whole record; they are not counted.",
        _ => null,
    };
}

/// <summary>The result as JSON; docs/scan.md describes the fields.</summary>
internal sealed record ScanReport(
    ScanWhat What, Int128 Count, long Bytes, double Milliseconds, bool Stopped, IReadOnlyList<ScannedFile> Files)
{
    /// <summary>How many files could not be scanned.</summary>
    [JsonIgnore]
    public int Failed => Files.Count(file => file.Error is not null);
}

/// <summary>The result for one file.</summary>
internal sealed record ScannedFile(
    string Path,
    [property: JsonPropertyName("count")] Int128? Value,
    long Bytes,
    long RestBytes,
    int Readers,
    double Milliseconds,
    string? Error = null);
