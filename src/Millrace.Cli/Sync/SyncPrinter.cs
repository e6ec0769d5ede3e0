using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>Prints plans, and what became of steps that move no bytes.</summary>
internal sealed class SyncPrinter(TransferSettings settings, SyncOptions options, Side to)
{
    /// <summary>Reports what of the source cannot be synced.</summary>
    /// <returns>The exit code.</returns>
    public int Faults(IReadOnlyList<SyncFault> faults)
    {
        foreach (SyncFault fault in faults)
        {
            if (settings.Json)
            {
                TransferCommand.WriteLine(Console.Out, FailureLine.Of(fault.Where, fault.Exception).ToJson());
            }
            else
            {
                Console.Error.WriteLine($"millrace sync: {TransferFailure.Explain(fault.Exception)}");
            }
        }

        return faults.Count == 0 ? ExitCode.Success
            : faults.Any(static fault => fault.HidesFiles) ? ExitCode.TransferFailed
            : ExitCode.LeftOut;
    }

    /// <summary>Prints all that would be done.</summary>
    public void Plan(SyncPlan plan)
    {
        foreach (SyncStep step in plan.Steps)
        {
            TransferCommand.WriteLine(Console.Out, settings.Json ? SyncLine.Of(step, isDone: false, null).ToJson() : Describe(step));
        }

        if (!settings.Json && !settings.Quiet)
        {
            string removed = Count(plan, SyncAction.Remove) is 0 ? "nothing to remove"
                : $"{TransferText.Files(Count(plan, SyncAction.Remove))} to remove, {Fate}";
            TransferCommand.WriteLine(
                Console.Out,
                $"{TransferText.Files(Count(plan, SyncAction.Add))} to add, {Count(plan, SyncAction.Replace)} to replace "
                + $"({SizeText.Of(BytesOf(plan))}), {Count(plan, SyncAction.Rename)} to rename, {removed}; {plan.Unchanged} unchanged. Nothing was done.");
        }
    }

    /// <summary>Tells of a renamed or removed file.</summary>
    public void Step(SyncStep step, Exception? error)
    {
        if (settings.Json)
        {
            TransferCommand.WriteLine(Console.Out, SyncLine.Of(step, isDone: error is null, error).ToJson());
        }
        else if (error is not null)
        {
            Console.Error.WriteLine($"millrace sync: {to.PlaceOf(step.Name)}: {TransferFailure.Explain(error)}");
        }
        else if (!settings.Quiet && Console.IsErrorRedirected)
        {
            TransferCommand.WriteLine(Console.Out, $"{(step.Action == SyncAction.Rename ? "Renamed" : "Removed")} {Describe(step)[2..]}.");
        }
    }

    /// <summary>Tells that changes are waited for.</summary>
    public void Watching(Side from)
    {
        if (!settings.Json && !settings.Quiet)
        {
            TransferCommand.WriteLine(Console.Out, $"Watching {PrintableText.Clean(from.Text)} for changes; Ctrl-C ends it.");
        }
    }

    /// <summary>Tells that a folder has an earlier version again.</summary>
    public void Restored(DateTimeOffset replaced)
    {
        settings.Print(
            new RestoreLine(to.Text, replaced),
            $"{PrintableText.Clean(to.Text)} has the version again that was replaced at {replaced:yyyy-MM-dd HH:mm:ss} UTC; the other one is kept.");
    }

    /// <summary>Tells that the target is as it was.</summary>
    public void NotPublished() => Console.Error.WriteLine(
        $"millrace sync: {PrintableText.Clean(to.Text)} is as it was, because not every file is there. The same command goes on.");

    /// <summary>Tells that others have changed the target.</summary>
    public void StagedAgain()
    {
        if (!settings.Quiet)
        {
            Console.Error.WriteLine($"millrace sync: somebody has changed {PrintableText.Clean(to.Text)} meanwhile; it is compared again.");
        }
    }

    /// <summary>Sums up.</summary>
    public void Finish(SyncPlan plan, bool failed, bool isWhole)
    {
        if (!settings.Json && !settings.Quiet)
        {
            int renamed = Count(plan, SyncAction.Rename);
            int removed = Count(plan, SyncAction.Remove);
            string text = plan.Steps.Count == 0 ? "Nothing to do" : failed ? "Not everything was done: see the errors" : "Done";
            text += renamed > 0 ? $"; {TransferText.Files(renamed)} renamed" : "";
            text += removed > 0 ? $"; {TransferText.Files(removed)} removed, {Fate}" : "";
            text += isWhole ? $"; {TransferText.Files(plan.Unchanged)} unchanged in {PrintableText.Clean(to.Text)}" : "";
            TransferCommand.WriteLine(Console.Out, text + ".");
        }
    }

    /// <summary>Where removed files go.</summary>
    private string Fate => options.BackupFolder is { } folder ? $"to {PrintableText.Clean(folder)}" : "for good";

    private static string Describe(SyncStep step) => PrintableText.Clean(step.Action switch
    {
        SyncAction.Add => $"+ {step.Name}  {WhatOf(step)}",
        SyncAction.Replace => $"~ {step.Name}  {WhatOf(step)}",
        SyncAction.Rename => $"> {step.From} to {step.Name}",
        _ => $"- {step.Name}",
    });

    private static string WhatOf(SyncStep step) => step.LinkTarget is { } target ? $"-> {target}" : SizeText.Of(step.Length);

    private static int Count(SyncPlan plan, SyncAction action) => plan.Steps.Count(step => step.Action == action);

    private static long BytesOf(SyncPlan plan) =>
        plan.Steps.Where(static step => step.Action is SyncAction.Add or SyncAction.Replace).Sum(static step => step.Length);
}

/// <summary>A folder that has an earlier version again; the line of `millrace sync --restore --json`.</summary>
internal sealed record RestoreLine(string Restored, DateTimeOffset Replaced);

/// <summary>A step; a line of `millrace sync --json` of a plan, and of renamed and removed files.</summary>
internal sealed record SyncLine(string Action, string Name, string? From, long Length, bool Done)
{
    public string? Error { get; init; }
    public int? Status { get; init; }
    public string? Message { get; init; }

    public static SyncLine Of(SyncStep step, bool isDone, Exception? error) => new(
        step.Action switch
        {
            SyncAction.Add => "add",
            SyncAction.Replace => "replace",
            SyncAction.Rename => "rename",
            _ => "remove",
        },
        step.Name.Value,
        step.Action == SyncAction.Rename ? step.From.Value : null,
        step.Length,
        isDone)
    {
        Error = error is null ? null : TransferFailure.KindOf(error),
        Status = (error as TransferException)?.Status,
        Message = error is null ? null : TransferFailure.Describe(error),
    };

    public string ToJson() => CommandJson.ToLine(this);
}
