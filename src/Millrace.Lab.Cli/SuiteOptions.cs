using System.Buffers;
using Millrace.Lab.Machine;

namespace Millrace.Lab.Cli;

/// <summary>The options that every command which measures has.</summary>
internal sealed class SuiteOptions
{
    private static readonly SearchValues<char> NeedQuotes = SearchValues.Create(" \t\"'*?$;&|<>()[]");

    private readonly Option<bool> _quick = new("--quick")
    {
        Description = "Answer the main questions, in up to 7 minutes per suite (the default).",
    };

    private readonly Option<bool> _full = new("--full")
    {
        Description = "Measure every method with every parameter; takes 30 to 60 minutes per suite, and 1 to 2 GiB of disk.",
    };

    private readonly Option<int?> _launches = new("--launches")
    {
        Description = "Measure in this many processes, one after the other (default: 3). Verdicts need at least 3.",
        HelpName = "N",
    };

    private readonly Option<string?> _file = new("--file")
    {
        Description = "Measure this file instead of generated ones; it is only read.",
        HelpName = "PATH",
    };

    private readonly Option<string> _output;

    private readonly Option<string[]> _filter = new("--filter")
    {
        Description = "Measure only these methods (\"FilePipe*\") or cases (\"FilePipe/128MiB/4096/*\"); may be given several times.",
        HelpName = "GLOB",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<string?> _data = new("--data")
    {
        Description = "Keep generated files here, on the disk to measure (default: the user's cache folder).",
        HelpName = "DIR",
    };

    private readonly Option<int?> _seed = new("--seed")
    {
        Description = "Repeat the shuffled order of an earlier run; its results contain the seed.",
        HelpName = "N",
    };

    private readonly Option<string?> _load = new("--load")
    {
        Description = "Measure only while a process per processor computes (busy), or only without (none). Default: none; with --full both.",
        HelpName = "none|busy",
    };

    private readonly Option<bool> _noWait = new("--no-wait")
    {
        Description = $"Measure at once, and do not wait up to {IdleMachine.Longest.TotalSeconds:0} s for other programs to leave the processors.",
    };

    private readonly Option<string?> _bucket = new("--bucket")
    {
        Description = "Use this bucket of yours, s3://BUCKET or s3://BUCKET/PREFIX; credentials come from the environment.",
        HelpName = "URL",
    };

    private readonly BucketConnection _connection = new();

    public SuiteOptions(string outputFolder) => _output = new Option<string>("--out")
    {
        Description = "Write the results and the report to this folder.",
        HelpName = "DIR",
        DefaultValueFactory = _ => outputFolder,
    };

    /// <param name="usesBucket">Whether a suite of the command needs a bucket.</param>
    public void AddTo(Command command, bool usesBucket)
    {
        foreach (Option option in new Option[] { _quick, _full, _launches, _file, _output, _filter, _data, _seed, _load, _noWait })
        {
            command.Add(option);
        }

        if (usesBucket)
        {
            AddBucketTo(command);
        }

        _load.AcceptOnlyFromAmong(CaseLoad.None, CaseLoad.Busy);
        command.Validators.Add(result =>
        {
            if (result.GetValue(_quick) && result.GetValue(_full))
            {
                result.AddError("--quick and --full exclude each other.");
            }

            if (result.GetValue(_launches) is < 1)
            {
                result.AddError("--launches must be 1 or more.");
            }
        });
    }

    public bool Waits(ParseResult parsed) => !parsed.GetValue(_noWait);

    public LabOptions Read(ParseResult parsed) => new()
    {
        Mode = parsed.GetValue(_full) ? LabMode.Full : LabMode.Quick,
        Launches = parsed.GetValue(_launches),
        FilePath = parsed.GetValue(_file),
        OutputFolder = parsed.GetValue(_output)!,
        Filters = parsed.GetValue(_filter) ?? [],
        DataFolder = parsed.GetValue(_data),
        Seed = parsed.GetValue(_seed),
        Load = parsed.GetValue(_load),
        Bucket = parsed.GetValue(_bucket) is { } bucket ? LabBucket.Of(_connection.Read(parsed, bucket)) : null,
        Command = "millrace " + string.Join(' ', parsed.Tokens.Select(token => Quote(token.Value))),
    };

    private void AddBucketTo(Command command)
    {
        _bucket.Validators.Add(result =>
        {
            string text = BucketConnection.TextOf(result);
            if (!BucketConnection.IsBucket(text) || !BucketConnection.TryParse(text, out _, out _))
            {
                result.AddError($"--bucket: {BucketConnection.Problem(text)}");
            }
        });
        command.Add(_bucket);
        foreach (Option option in _connection.All)
        {
            command.Add(option);
        }

        command.Validators.Add(result =>
        {
            if (result.GetResult(_bucket) is null && _connection.All.Any(option => result.GetResult(option) is { Implicit: false }))
            {
                result.AddError("--s3-endpoint, --s3-region and --s3-path-style are about the bucket; name it with --bucket s3://BUCKET/PREFIX.");
            }
        });
    }

    private static string Quote(string argument) =>
        argument.Length > 0 && !argument.AsSpan().ContainsAny(NeedQuotes) ? argument : $"'{argument}'";
}
