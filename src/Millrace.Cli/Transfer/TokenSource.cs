using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>Where the token comes from.</summary>
internal static class TokenSource
{
    /// <summary>Taken when no option says otherwise: not seen in a list of processes, as an argument is.</summary>
    public const string Variable = "MILLRACE_TOKEN";

    /// <summary>The token; null without one.</summary>
    /// <param name="token">Given as it is; null when it is not.</param>
    /// <param name="file">A file whose first line it is; null without one.</param>
    /// <exception cref="TransferException">The file cannot be read or is empty, or a token has what a header cannot.</exception>
    public static string? Find(string? token, string? file)
    {
        if (token is not null)
        {
            return Checked(token, "--token");
        }

        if (file is not null)
        {
            return Checked(Read(file), $"--token-file '{file}'");
        }

        string? variable = Environment.GetEnvironmentVariable(Variable);
        return string.IsNullOrEmpty(variable) ? null : Checked(variable, Variable);
    }

    private static string Read(string file)
    {
        try
        {
            return File.ReadLines(file).FirstOrDefault("").Trim();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new TransferException(
                TransferError.InvalidRequest, $"--token-file: {exception.Message}", innerException: exception);
        }
    }

    private static string Checked(string token, string from)
    {
        foreach (char c in token)
        {
            if (!char.IsAscii(c) || char.IsControl(c) || c == ' ')
            {
                throw Wrong(from, "has a character that no token has");
            }
        }

        return token.Length > 0 ? token : throw Wrong(from, "is empty");
    }

    private static TransferException Wrong(string from, string why) => new(
        TransferError.InvalidRequest, $"The token of {from} {why}. Give it as 'millrace token add' printed it.");
}
