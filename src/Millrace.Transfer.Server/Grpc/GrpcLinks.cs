using Google.Protobuf.WellKnownTypes;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>CreateLink, ListLinks and RevokeLink.</summary>
internal static class GrpcLinks
{
    public static async Task CreateAsync(GrpcCall call)
    {
        CreateLinkRequest request = await call.ReadAsync(CreateLinkRequest.Parser);
        CreatedFolderLink made = await LinkWork.CreateAsync(call.Context, call.Root, new FolderLinkOptions
        {
            Folder = GrpcValues.Folder(request.Folder),
            IsDrop = request.IsDrop,
            Lifetime = LinkWork.Seconds(request.Seconds),
            Password = request.Password.Length == 0 ? null : request.Password,
            MaxUses = request.HasMaxUses ? request.MaxUses : null,
            MaxBytes = request.HasMaxBytes ? request.MaxBytes : null,
            AsksName = request.AsksName,
        });
        await call.Answer.SendAsync(new CreateLinkResponse
        {
            Link = ToMessage(made.Link),
            Url = LinkWork.UrlOf(call.Context, call.Options, made),
            Secret = made.Secret,
        });
    }

    public static async Task ListAsync(GrpcCall call)
    {
        await call.ReadAsync(ListLinksRequest.Parser);
        IReadOnlyList<FolderLink> links = await LinkWork.ListAsync(call.Context, call.Root);
        await call.Answer.BeginAsync();
        foreach (FolderLink link in links)
        {
            await call.Answer.WriteManyAsync(ToMessage(link));
        }
    }

    public static async Task RevokeAsync(GrpcCall call)
    {
        RevokeLinkRequest request = await call.ReadAsync(RevokeLinkRequest.Parser);
        await LinkWork.RevokeAsync(call.Context, call.Root, request.Id);
        await call.Answer.SendAsync(new RevokeLinkResponse());
    }

    private static Link ToMessage(FolderLink link)
    {
        var message = new Link
        {
            Id = link.Id,
            Folder = link.Folder.Value,
            IsDrop = link.IsDrop,
            Owner = link.Owner ?? "",
            Created = Timestamp.FromDateTimeOffset(link.Created),
            Expires = Timestamp.FromDateTimeOffset(link.Expires),
            HasPassword = link.HasPassword,
            AsksName = link.AsksName,
            Uses = link.Uses,
            Bytes = link.Bytes,
        };
        if (link.MaxUses is { } uses)
        {
            message.MaxUses = uses;
        }

        if (link.MaxBytes is { } bytes)
        {
            message.MaxBytes = bytes;
        }

        return message;
    }
}
