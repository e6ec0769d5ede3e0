using System.CommandLine;
using System.CommandLine.Completions;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>Completes a URL with the entries of its folder on the server.</summary>
internal sealed class RemoteNames(TransferOptionSet options)
{
    // Users do not wait longer after pressing Tab.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2);

    private const int MaxNames = 500;

    /// <param name="arity">Exactly one by default.</param>
    public static Argument<T> Argument<T>(TransferOptionSet options, string name, string description, ArgumentArity? arity = null) => new(name)
    {
        Description = description,
        Arity = arity ?? ArgumentArity.ExactlyOne,
        CompletionSources = { new RemoteNames(options).Complete },
    };

    /// <summary>The URLs that begin as the word does; none when it is no URL or the server does not answer.</summary>
    private IEnumerable<CompletionItem> Complete(CompletionContext context)
    {
        string word = context.WordToComplete;
        int slash = word.LastIndexOf('/');
        if (!word.Contains("://", StringComparison.Ordinal) || slash < word.IndexOf("://", StringComparison.Ordinal) + 3)
        {
            return [];
        }

        try
        {
            using var patience = new CancellationTokenSource(Patience);
            TransferClientOptions client = options.Read(context.ParseResult).Client;
            client.MaxAttempts = 1;
            return Task.Run(() => ListAsync(word, word[..(slash + 1)], client, patience.Token)).GetAwaiter().GetResult();
        }
        catch (Exception exception) when (TransferFailure.IsExpected(exception) || exception is OperationCanceledException)
        {
            // An error message would disturb the line being typed.
            return [];
        }
    }

    private static async Task<IReadOnlyList<CompletionItem>> ListAsync(
        string word, string folder, TransferClientOptions options, CancellationToken cancellationToken)
    {
        var found = new List<CompletionItem>();
        using var session = new TransferSession(options);
        (TransferTarget target, TransferClient client) =
            await session.OpenAsync(TransferTarget.Parse(folder), cancellationToken).ConfigureAwait(false);
        await foreach (RemoteEntry entry in client
            .ListAsync(target.Name, recursive: false, cancellationToken).ConfigureAwait(false))
        {
            string url = target.UrlOf(entry.Name, entry.IsFolder);
            if (url.StartsWith(word, StringComparison.Ordinal))
            {
                found.Add(new CompletionItem(url));
            }

            if (found.Count == MaxNames)
            {
                break;
            }
        }

        return found;
    }
}
