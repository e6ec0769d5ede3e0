using System.CommandLine;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The option of `millrace serve` about the check of stored files.</summary>
internal sealed class ScrubOptionSet
{
    private readonly Option<TimeSpan?> _scrub = DurationArgument.Option(
        "--scrub", "Read all files once in this time, slowly, and report those that the device has damaged; 'millrace scrub' does it at once.");

    public ScrubOptionSet() => _scrub.Validators.Add(static result =>
    {
        if (result.Tokens is [{ Value: var text }] && DurationArgument.TryParse(text, out TimeSpan time) && time > TimeSpan.Zero && time < TimeSpan.FromHours(1))
        {
            result.AddError($"'{text}' is too short to read a whole store slowly; use 1h or more, such as 30d, or 0 to read nothing.");
        }
    });

    public void AddTo(Command command, Argument<string> served, Option<bool> readOnly)
    {
        command.Add(_scrub);
        command.Validators.Add(result =>
        {
            if (result.GetResult(_scrub) is { Implicit: false } && result.GetValue(readOnly)
                && BucketConnection.IsBucket(result.GetResult(served)?.Tokens is [var token, ..] ? token.Value : null))
            {
                result.AddError($"{_scrub.Name} keeps its position in the bucket, which {readOnly.Name} does not change; leave one of them out.");
            }
        });
    }

    public void Read(ParseResult parsed, TransferHostOptions options) =>
        options.ScrubPeriod = parsed.GetValue(_scrub) is { } time && time > TimeSpan.Zero ? time : null;
}
