using System.Net.Http.Headers;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Millrace.Transfer.Server;

/// <summary>
/// What every endpoint asks before it does anything: may this request do that, and is there room for another transfer?
/// </summary>
/// <remarks>Thread-safe; one an application.</remarks>
public sealed class TransferGuard
{
    /// <summary>The owner of what comes by a signed link. No token can be called so.</summary>
    public const string LinkOwner = ":link";

    private const string Scheme = "Bearer";

    private readonly TransferAccessOptions _options;
    private readonly TransferMeter _meter;
    private readonly ILogger _logger;
    private readonly TransferSlots _slots;
    private volatile bool _closed;

    /// <summary>Makes a guard.</summary>
    /// <param name="options">Whom it lets in.</param>
    /// <param name="meter">The application's instruments.</param>
    /// <param name="logger">Where each transfer is told; null for nowhere.</param>
    public TransferGuard(TransferAccessOptions options, TransferMeter meter, ILogger<TransferGuard>? logger = null)
        : this(options, meter, (ILogger?)logger)
    {
    }

    internal TransferGuard(TransferAccessOptions options, TransferMeter meter, ILogger? logger)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(meter);
        _options = options;
        _meter = meter;
        _logger = logger ?? NullLogger.Instance;
        _slots = new TransferSlots(options.Limits.MaxTransfers);
    }

    /// <summary>The guard that the application registered, or one that lets everybody do everything.</summary>
    public static TransferGuard Of(HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return (TransferGuard?)context.RequestServices.GetService(typeof(TransferGuard)) ?? Open;
    }

    private static TransferGuard Open { get; } = new(new TransferAccessOptions(), new TransferMeter(), (ILogger?)null);

    /// <summary>Transfers that run now.</summary>
    public int Running => _slots.Running;

    /// <summary>Whether a request without a token, or a link, is refused.</summary>
    public bool NeedsToken
    {
        get
        {
            if (!_closed && (!_options.OpenWithoutTokens || _options.Tokens?.Read().Tokens.Count > 0))
            {
                _closed = true;
            }

            return _closed;
        }
    }

    /// <summary>Lets a request in.</summary>
    /// <param name="context">The request.</param>
    /// <param name="scope">What it wants to do; several are all needed.</param>
    /// <param name="name">The file or folder; <c>default</c> for the root, or where there is no name.</param>
    /// <param name="isTransfer">Whether a file's content is moved, which counts against the limit of transfers at once.</param>
    /// <returns>To be disposed at the end of the request.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Unauthorized"/>, <see cref="TransferError.Forbidden"/>,
    /// <see cref="TransferError.TooManyTransfers"/>, <see cref="TransferError.TooLarge"/>.
    /// </exception>
    public TransferPass Enter(HttpContext context, TransferScope scope, TransferName name, bool isTransfer)
    {
        ArgumentNullException.ThrowIfNull(context);
        TransferObservation observation = TransferObservation.Begin(_meter, _logger, context, scope, name);
        try
        {
            string? owner = Authorize(context, scope, name);
            TransferPass pass = isTransfer
                ? Start(context, name, owner, observation)
                : new TransferPass(owner, observation, slots: null, slot: null);
            observation.Admit(owner, isTransfer);
            return pass;
        }
        catch (TransferException exception)
        {
            observation.Refuse(exception.Error);
            throw;
        }
    }

    /// <summary>Whether a request comes with a token, or without one where none is needed.</summary>
    internal bool IsKnown(HttpContext context)
    {
        try
        {
            return !NeedsToken || FindToken(context) is not null;
        }
        catch (TransferException)
        {
            return false;
        }
    }

    /// <summary>Says, before a body is read, that it may be a file's.</summary>
    internal void LiftBodyLimit(HttpContext context) => LiftBodyLimit(context, _options.Limits);

    private TransferPass Start(HttpContext context, TransferName name, string? owner, TransferObservation observation)
    {
        TransferLimits limits = _options.Limits;
        LiftBodyLimit(context, limits);
        if (context.Request.ContentLength > limits.MaxBodyBytes)
        {
            CloseAfterAnswer(context);
            throw new TransferException(
                TransferError.TooLarge,
                $"The request brings {context.Request.ContentLength} bytes, and this server accepts {limits.MaxBodyBytes}. Send a smaller file, or ask the server's owner for more.",
                name.Value);
        }

        // A colon is in no token's name, so that an address cannot be one.
        string slot = owner is null or LinkOwner ? ":" + TransferObservation.AddressOf(context) : owner;
        if (!_slots.TryTake(slot))
        {
            throw new TransferException(
                TransferError.TooManyTransfers,
                $"{limits.MaxTransfers} transfers are running for {(owner is null or LinkOwner ? "this address" : "this token")}, and no more are allowed at once. Try again when one has finished.",
                name.Value)
            {
                RetryAfter = limits.RetryAfter,
            };
        }

        return new TransferPass(owner, observation, _slots, slot);
    }

    /// <summary>In an application of one's own, Kestrel's default of 30 MB counts until somebody says otherwise.</summary>
    private static void LiftBodyLimit(HttpContext context, TransferLimits limits)
    {
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } body)
        {
            body.MaxRequestBodySize = limits.MaxBodyBytes;
        }
    }

    /// <summary>
    /// Says that the connection ends with the answer. Kestrel closes it by itself, since the body is not read, and without
    /// a word: the next request of the client would fail on it.
    /// </summary>
    private static void CloseAfterAnswer(HttpContext context)
    {
        if (HttpProtocol.IsHttp11(context.Request.Protocol))
        {
            context.Response.OnStarting(
                static state =>
                {
                    ((HttpResponse)state).Headers.Connection = "close";
                    return Task.CompletedTask;
                },
                context.Response);
        }
    }

    /// <returns>Who it is; null where nobody has to say.</returns>
    private string? Authorize(HttpContext context, TransferScope scope, TransferName name)
    {
        try
        {
            bool hasToken = context.Request.Headers.ContainsKey("Authorization");
            if (!hasToken && SignedLink.IsIn(context.Request))
            {
                return AuthorizeLink(context, scope, name);
            }

            // A token is looked at also where none is needed: who sends a wrong one wants to know.
            if (!NeedsToken && (!hasToken || _options.Tokens is null))
            {
                return null;
            }

            TransferToken token = FindToken(context) ?? throw new TransferException(
                TransferError.Unauthorized,
                hasToken
                    ? "The token is not known here, or it has expired. Make another with 'millrace token add' on the server."
                    : "This server needs a token. Send it as 'Authorization: Bearer TOKEN'; 'millrace token add' makes one on the server.");
            Check(token, scope, name);
            return token.Name;
        }
        catch (TransferException exception) when (exception.Error == TransferError.Failed)
        {
            // The path of the file is for who runs the server, not for who asks it.
            _logger.TokensUnreadable(exception.Message);
            throw new TransferException(
                TransferError.Failed,
                "The server cannot read its tokens and lets nobody in; its log says why.",
                innerException: exception);
        }
    }

    private string AuthorizeLink(HttpContext context, TransferScope scope, TransferName name)
    {
        LinkKey? key = _options.Tokens?.Read().Key;
        return SignedLink.Allows(key, context.Request, scope, name, _options.Clock.GetUtcNow())
            ? LinkOwner
            : throw new TransferException(
                TransferError.Forbidden,
                "The link has expired, was revoked, or is for another file or method. Ask for a new one.");
    }

    private TransferToken? FindToken(HttpContext context) =>
        _options.Tokens is { } tokens
        && AuthenticationHeaderValue.TryParse(context.Request.Headers.Authorization, out AuthenticationHeaderValue? header)
        && header.Scheme.Equals(Scheme, StringComparison.OrdinalIgnoreCase)
        && header.Parameter is { Length: > 0 } secret
            ? tokens.Find(secret)
            : null;

    /// <summary>Refuses by what the request says alone; whether there is such a file is not looked at before.</summary>
    private static void Check(TransferToken token, TransferScope scope, TransferName name)
    {
        if ((token.Scopes & scope) != scope)
        {
            throw new TransferException(
                TransferError.Forbidden,
                $"The token '{token.Name}' allows {TransferScopes.ToText(token.Scopes)}, and this needs {TransferScopes.ToText(scope)}.",
                name.Value);
        }

        // A part of an upload has no name; what the parts become has one, and is checked then.
        bool isNameless = name.IsRoot && scope == TransferScope.Write;
        if (!isNameless && !name.IsIn(token.Prefix))
        {
            throw new TransferException(
                TransferError.Forbidden, $"The token '{token.Name}' is only for '{token.Prefix}'.", name.Value);
        }
    }
}
