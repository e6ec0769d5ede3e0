using System.CommandLine;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` about deleted and replaced files.</summary>
internal sealed class TrashOptionSet
{
    private readonly Option<TimeSpan?> _trash = DurationArgument.Option(
        "--trash", "Keep deleted and replaced files for this long, so that 'millrace trash' can restore them.");

    private readonly Option<long?> _maxTrash = SizeArgument.Option(
        "--max-trash", "Delete the oldest files of the trash when it has more than this.");

    public void AddTo(Command command)
    {
        command.Add(_trash, _maxTrash);
        command.Validators.Add(result =>
        {
            if (result.GetResult(_maxTrash) is { Implicit: false } && result.GetResult(_trash) is not { Implicit: false })
            {
                result.AddError("--max-trash limits the trash, which --trash turns on; use both.");
            }
        });
    }

    public void Read(ParseResult parsed, LocalFileStoreOptions store)
    {
        store.TrashLifetime = parsed.GetValue(_trash) is { } time && time > TimeSpan.Zero ? time : null;
        store.MaxTrashBytes = parsed.GetValue(_maxTrash);
    }
}
