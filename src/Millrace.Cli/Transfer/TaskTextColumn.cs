using System.Collections.Concurrent;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Millrace.Cli.Transfer;

/// <summary>The numbers beside a bar: bytes, rate and time left as the transfer itself tells them.</summary>
internal sealed class TaskTextColumn(ConcurrentDictionary<int, string> texts) : ProgressColumn
{
    /// <inheritdoc/>
    protected override bool NoWrap => true;

    /// <inheritdoc/>
    public override IRenderable Render(RenderOptions options, ProgressTask task, TimeSpan deltaTime) =>
        new Text(texts.GetValueOrDefault(task.Id, ""));
}
