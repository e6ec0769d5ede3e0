using System.CommandLine;
using System.CommandLine.Parsing;
using System.Text;

namespace Millrace.Cli.Scan;

/// <summary>The options of `millrace scan`, and which of them go together.</summary>
internal sealed class ScanOptions
{
    private const string Int64 = "int64";

    private readonly Argument<string[]> _files = new("FILE")
    {
        Description = "What to scan. Several are scanned one after the other.",
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
        Description = @"A record ends with this byte: a character, \n, \r, \t, \0, \\, or 0x00 to 0xff.",
        HelpName = "BYTE",
    };

    private readonly Option<int?> _recordSize = new("--record-size")
    {
        Description = "Every record has this length, in bytes.",
        HelpName = "N",
    };

    private readonly Option<int?> _degree = new("--degree")
    {
        Description = "How many readers share a file (default: one for every processor, fewer for a small file).",
        HelpName = "N",
    };

    private readonly Option<bool> _json = new("--json") { Description = "Write JSON instead of a number and a name." };

    private readonly Option<bool> _quiet = new("--quiet") { Description = "Say nothing but results and errors." };

    /// <summary>Adds them to a command.</summary>
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

    /// <summary>What the user gave.</summary>
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
            return "--degree needs a number of at least 1.";
        }

        if (size is < 1)
        {
            return "--record-size needs a number of at least 1.";
        }

        if (delimiter is not null && !DelimiterText.TryParse(delimiter, out end))
        {
            return $@"--delimiter does not know '{delimiter}': give a character, \n, \r, \t, \0, \\, or 0x00 to 0xff.";
        }

        if (delimiter is not null && size is not null)
        {
            return "--delimiter and --record-size exclude each other: a record ends in one way.";
        }

        if (result.GetValue(_sum) is not null && (count is not null || records || result.GetValue(_find) is not null))
        {
            return "--sum goes with none of --count, --find, --delimiter and --record-size.";
        }

        if (count == "records" && !records)
        {
            return "--count records needs --delimiter or --record-size: where does a record end?";
        }

        if (count is "lines" or "bytes" && records)
        {
            return $"--count {count} goes with neither --delimiter nor --record-size; leave one of them out.";
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
