using System.CommandLine;
using System.Globalization;
using Millrace.Transfer;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace link` about folders.</summary>
internal sealed class FolderLinkOptionSet
{
    private readonly Option<bool> _drop = new("--drop") { Description = "Allow to put new files into the folder, and nothing else." };

    private readonly Option<string?> _password = new("--password-file")
    {
        Description = "Ask for the password in the first line of this file, or of the standard input (-).",
        HelpName = "FILE",
    };

    private readonly Option<long?> _maxUses = ParsedOption.Create<long?>(
        "--max-uses",
        "N",
        "Allow so many downloads, or dropped files; an archive is one download.",
        static (text, out uses) =>
        {
            bool isNumber = long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long number) && number > 0;
            uses = number;
            return isNumber ? null : $"'{text}' is not a number of uses; use 1 or more.";
        });

    private readonly Option<long?> _maxBytes = SizeArgument.Option("--max-bytes", "Allow so many bytes of downloads, or of dropped files.", 1);
    private readonly Option<bool> _askName = new("--ask-name") { Description = "With --drop, let the page ask for the sender's name, which becomes a folder." };
    private readonly Option<bool> _list = new("--list") { Description = "Print the links to folders." };
    private readonly Option<string?> _revoke = new("--revoke") { Description = "Revoke the link to a folder that has this id in the list.", HelpName = "ID" };

    private Option[] OfNew => [_drop, _password, _maxUses, _maxBytes, _askName];

    public void AddTo(Command command, Argument<string?> name, Option<bool> put)
    {
        command.Add([.. OfNew, _list, _revoke]);
        command.Validators.Add(result =>
        {
            string? given = result.GetValue(name);
            bool isManaging = result.GetValue(_list) || result.GetResult(_revoke) is { Implicit: false };
            if (isManaging && given is not null)
            {
                result.AddError("--list and --revoke take no NAME.");
            }

            if (result.GetValue(_askName) && !result.GetValue(_drop))
            {
                result.AddError("--ask-name is about links to drop files; add --drop.");
            }

            if (given?.EndsWith('/') == true && result.GetValue(put))
            {
                result.AddError("--put is about a link to one file. A link to a folder takes files with --drop.");
            }
        });
    }

    public bool IsList(ParseResult parsed) => parsed.GetValue(_list);

    public string? Revoked(ParseResult parsed) => parsed.GetValue(_revoke);

    public void ThrowIfUsed(ParseResult parsed)
    {
        if (OfNew.FirstOrDefault(option => parsed.GetResult(option) is { Implicit: false }) is { } option)
        {
            throw TransferCommand.Invalid($"{option.Name} is about a link to a folder. If NAME is one, write a slash at its end.");
        }
    }

    public async Task<LinkLine> MakeAsync(
        ParseResult parsed, FolderLinks links, string given, TimeSpan time, string files, CancellationToken stop)
    {
        string folder = given.TrimEnd('/');
        CreatedFolderLink made = await links.CreateAsync(
            new FolderLinkOptions
            {
                Folder = folder.Length == 0 ? default : TransferName.Parse(folder),
                IsDrop = parsed.GetValue(_drop),
                Lifetime = time,
                Password = parsed.GetValue(_password) is { } file ? await ReadPasswordAsync(file, stop).ConfigureAwait(false) : null,
                MaxUses = parsed.GetValue(_maxUses),
                MaxBytes = parsed.GetValue(_maxBytes),
                AsksName = parsed.GetValue(_askName),
            },
            stop).ConfigureAwait(false);
        string path = made.Link.Folder.IsRoot ? "" : made.Link.Folder.ToEncoded() + "/";
        return new LinkLine($"{files}{path}?mr-link={made.Secret}", FolderLinkDocument.KindOf(made.Link), made.Link.Folder.Value, made.Link.Expires, made.Link.Id);
    }

    /// <summary>Lists or revokes.</summary>
    public async Task<int> ManageAsync(ParseResult parsed, FolderLinks links, bool json, CancellationToken stop)
    {
        if (Revoked(parsed) is { } id)
        {
            if (await links.RevokeAsync(id, stop).ConfigureAwait(false))
            {
                return ExitCode.Success;
            }

            await Console.Error.WriteLineAsync($"millrace link: link '{id}' does not exist; 'millrace link --list' prints all links to folders.").ConfigureAwait(false);
            return ExitCode.CannotStart;
        }

        await foreach (FolderLink link in links.ListAsync(stop).ConfigureAwait(false))
        {
            Console.Out.WriteLine(json ? CommandJson.ToLine(FolderLinkDocument.Of(link)) : Describe(link));
        }

        return ExitCode.Success;
    }

    /// <summary>For example "0123456789abcdef  drop  inbox/  until 2026-06-01 12:00 UTC, 3 of 20 uses, 1234 bytes, password".</summary>
    private static string Describe(FolderLink link)
    {
        bool isOver = link.Expires <= DateTimeOffset.UtcNow;
        string uses = link.MaxUses is { } maxUses ? string.Create(CultureInfo.InvariantCulture, $"{link.Uses} of {maxUses}") : link.Uses.ToString(CultureInfo.InvariantCulture);
        string bytes = link.MaxBytes is { } maxBytes ? string.Create(CultureInfo.InvariantCulture, $"{link.Bytes} of {maxBytes}") : link.Bytes.ToString(CultureInfo.InvariantCulture);
        string more = (link.HasPassword ? ", password" : "") + (link.AsksName ? ", asks for a name" : "") + (link.Owner is { } owner ? $", by {owner}" : "");
        string folder = PrintableText.Clean(link.Folder.Value);
        return $"{link.Id}  {FolderLinkDocument.KindOf(link)}  {folder}/  {(isOver ? "expired" : "until")} {TokenText.Time(link.Expires)}, {uses} uses, {bytes} bytes{more}";
    }

    private static async Task<string> ReadPasswordAsync(string file, CancellationToken stop)
    {
        using TextReader reader = file == "-" ? Console.In : new StreamReader(file);
        string? line = await reader.ReadLineAsync(stop).ConfigureAwait(false);
        return string.IsNullOrEmpty(line) ? throw TransferCommand.Invalid("--password-file: its first line is empty.") : line;
    }
}
