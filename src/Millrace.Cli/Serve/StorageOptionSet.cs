using System.CommandLine;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` about hidden names and the permissions of files.</summary>
internal sealed class StorageOptionSet
{
    private const string Dotfiles = "dotfiles";
    private const UnixFileMode AllFile = (UnixFileMode)0x1B6; // 0666
    private const UnixFileMode AllFolder = (UnixFileMode)0x1FF; // 0777

    private readonly Option<string[]> _hide = new("--hide")
    {
        Description = "Neither list nor serve nor accept files and folders of this name, such as '*.tmp', or dotfiles for all that begin with a dot; can be repeated.",
        HelpName = $"PATTERN|{Dotfiles}",
    };

    private readonly Option<UnixFileMode?> _umask = ModeOption(
        "--umask", "Give files the mode 0666 and folders 0777 without these bits (default: the umask of the process).");

    private readonly Option<UnixFileMode?> _fileMode = ModeOption("--file-mode", "Give files this mode.");
    private readonly Option<UnixFileMode?> _folderMode = ModeOption("--dir-mode", "Give new folders this mode.");

    public StorageOptionSet() => _hide.Validators.Add(static result =>
    {
        foreach (string pattern in result.Tokens.Select(static token => token.Value))
        {
            if (pattern.Length == 0 || pattern.Contains('/', StringComparison.Ordinal))
            {
                result.AddError($"'{pattern}' is not a valid pattern for one part of a name; use '*.tmp', '.git' or {Dotfiles}, without slashes.");
            }
        }
    });

    /// <summary>Those that a bucket does not have.</summary>
    public Option[] FolderOnly => [_umask, _fileMode, _folderMode];

    public void AddTo(Command command)
    {
        command.Add(_hide, _umask, _fileMode, _folderMode);
        command.Validators.Add(result =>
        {
            if (OperatingSystem.IsWindows() && FolderOnly.FirstOrDefault(option => result.GetResult(option) is { Implicit: false }) is { } used)
            {
                result.AddError($"{used.Name} is about the permissions of Unix; on Windows, set those of the folder.");
            }
        });
    }

    public void Read(ParseResult parsed, TransferHostOptions options)
    {
        options.HiddenNames = [.. (parsed.GetValue(_hide) ?? []).Select(static pattern => pattern == Dotfiles ? ".*" : pattern)];
        UnixFileMode? umask = parsed.GetValue(_umask);
        options.Store.FileMode = parsed.GetValue(_fileMode) ?? (AllFile & ~umask);
        options.Store.FolderMode = parsed.GetValue(_folderMode) ?? (AllFolder & ~umask);
    }

    private static Option<UnixFileMode?> ModeOption(string name, string description) =>
        ParsedOption.Create<UnixFileMode?>(name, "MODE", description, static (text, out mode) =>
        {
            bool isMode = text.Length is 3 or 4 && text.All(static digit => digit is >= '0' and <= '7');
            mode = isMode ? (UnixFileMode)Convert.ToInt32(text, 8) : null;
            return isMode ? null : $"'{text}' is not a valid mode; use three or four octal digits, such as 0640.";
        });
}
