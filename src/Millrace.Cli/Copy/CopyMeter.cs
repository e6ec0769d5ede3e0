using Spectre.Console;

namespace Millrace.Cli.Copy;

/// <summary>Takes every file's progress and shows that of all of them.</summary>
internal sealed class CopyMeter(ProgressTask? bar) : IProgress<FileCopyProgress>
{
    private long _before;

    /// <summary>A file is begun.</summary>
    public void Begin(CopyItem item)
    {
        if (bar is not null)
        {
            bar.Description = Markup.Escape(Path.GetFileName(item.Source));
        }
    }

    /// <summary>A file is done with, however that went.</summary>
    public void End(CopyItem item)
    {
        _before += item.Bytes;
        Show(_before);
    }

    /// <inheritdoc/>
    public void Report(FileCopyProgress value)
    {
        if (bar is not null && value.Verifying && !bar.Description.EndsWith(Verifying, StringComparison.Ordinal))
        {
            bar.Description += Verifying;
        }

        // Compared bytes were counted when they were copied.
        if (!value.Verifying)
        {
            Show(_before + value.CopiedBytes);
        }
    }

    private const string Verifying = " (verifying)";

    private void Show(long bytes)
    {
        if (bar is not null)
        {
            bar.MaxValue = Math.Max(bar.MaxValue, bytes);
            bar.Value = bytes;
        }
    }
}
