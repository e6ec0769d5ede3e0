using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>How a <see cref="RunningServer"/> differs from the ordinary one.</summary>
public sealed record RunningServerOptions
{
    public LocalFileStoreOptions? Store { get; init; }

    public TransferServerOptions Server { get; init; } = new();

    /// <summary>Adds or replaces services; access is open without tokens otherwise.</summary>
    public Action<IServiceCollection>? Services { get; init; }

    public Action<KestrelServerOptions>? Kestrel { get; init; }

    /// <summary>Comes before the endpoints.</summary>
    public Action<WebApplication>? Middleware { get; init; }

    /// <summary>Maps other endpoints than those of the files and uploads.</summary>
    public Action<WebApplication, IFileStore, TransferServerOptions>? Map { get; init; }

    /// <summary>The folder that is served; null for a new one, which is deleted at the end.</summary>
    public string? Root { get; init; }
}
