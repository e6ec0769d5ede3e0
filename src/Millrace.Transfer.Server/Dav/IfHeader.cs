namespace Millrace.Transfer.Server;

/// <summary>The field If (RFC 4918, section 10.4): lists of conditions, one of which has to hold, and the lock tokens that the client submits.</summary>
internal sealed class IfHeader
{
    public const string Field = "If";

    /// <summary>Conditions that a request may have, each of which costs a look at a file.</summary>
    private const int MaxConditions = 200;

    private readonly List<(string? Resource, List<Condition> Conditions)> _lists = [];
    private readonly List<string> _tokens = [];

    private IfHeader()
    {
    }

    /// <summary>The lock tokens in it, wherever they are, without those that are negated.</summary>
    public IReadOnlyCollection<string> Tokens => _tokens;

    /// <summary>Reads it.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it cannot be read.</exception>
    public static IfHeader Parse(string text)
    {
        var header = new IfHeader();
        ReadOnlySpan<char> rest = text.AsSpan().Trim();
        string? resource = null;
        bool isTagged = rest.StartsWith('<');
        int count = 0;
        bool hasList = true;
        while (!rest.IsEmpty)
        {
            if (rest[0] == '<')
            {
                if (!isTagged || !hasList)
                {
                    throw Unreadable();
                }

                resource = Cut(ref rest, '<', '>');
                hasList = false;
            }
            else if (rest[0] == '(')
            {
                hasList = true;
                header._lists.Add((resource, ReadList(ref rest, header._tokens, ref count)));
            }
            else
            {
                throw Unreadable();
            }

            rest = rest.TrimStart();
        }

        return header._lists.Count > 0 && hasList ? header : throw Unreadable();
    }

    /// <summary>Whether one of the lists holds.</summary>
    /// <param name="holds">Whether a resource (null for the request's own) has a state: a lock token, or an entity tag.</param>
    public async ValueTask<bool> HoldsAsync(Func<string?, string, bool, ValueTask<bool>> holds)
    {
        foreach ((string? resource, List<Condition> conditions) in _lists)
        {
            bool all = true;
            foreach (Condition condition in conditions)
            {
                all = all && await holds(resource, condition.State, condition.IsTag) != condition.IsNegated;
            }

            if (all)
            {
                return true;
            }
        }

        return false;
    }

    private static List<Condition> ReadList(ref ReadOnlySpan<char> rest, List<string> tokens, ref int count)
    {
        var conditions = new List<Condition>();
        rest = rest[1..].TrimStart();
        while (!rest.StartsWith(')'))
        {
            bool isNegated = rest.StartsWith("Not", StringComparison.OrdinalIgnoreCase);
            rest = isNegated ? rest[3..].TrimStart() : rest;
            bool isTag = rest.StartsWith('[');
            string state = isTag ? Cut(ref rest, '[', ']') : Cut(ref rest, '<', '>');
            if (!isTag && !isNegated)
            {
                tokens.Add(state);
            }

            conditions.Add(new Condition(state, isTag, isNegated));
            rest = rest.TrimStart();
            if (++count > MaxConditions)
            {
                throw Errors.Invalid($"The field If has more than {MaxConditions} conditions.");
            }
        }

        rest = rest[1..];
        return conditions.Count > 0 ? conditions : throw Unreadable();
    }

    private static string Cut(ref ReadOnlySpan<char> rest, char open, char close)
    {
        int end = rest.IndexOf(close);
        if (rest.IsEmpty || rest[0] != open || end < 2)
        {
            throw Unreadable();
        }

        string cut = rest[1..end].ToString();
        rest = rest[(end + 1)..];
        return cut;
    }

    private static TransferException Unreadable() => Errors.Invalid(
        "The field If cannot be read. It has lists of lock tokens and entity tags, as in (<urn:uuid:…> [\"tag\"]).");

    private readonly record struct Condition(string State, bool IsTag, bool IsNegated);
}
