namespace Millrace.Transfer.Server;

/// <summary>The methods of <c>millrace.v1.FileTransfer</c>.</summary>
internal static class FileTransferService
{
    public static Func<GrpcCall, Task>? Find(string? method) => method switch
    {
        "Stat" => GrpcFiles.StatAsync,
        "List" => GrpcFiles.ListAsync,
        "Search" => GrpcFiles.SearchAsync,
        "Delete" => GrpcFiles.DeleteAsync,
        "Move" => GrpcFiles.MoveAsync,
        "CreateFolder" => GrpcFiles.CreateFolderAsync,
        "Download" => GrpcDownload.AnswerAsync,
        "Blocks" => GrpcBlocks.AnswerAsync,
        "Extents" => GrpcBlocks.AnswerExtentsAsync,
        "Upload" => GrpcUpload.AnswerAsync,
        "StartUpload" => GrpcUploads.StartAsync,
        "UploadPart" => GrpcUploadPart.AnswerAsync,
        "QueryUpload" => GrpcUploads.QueryAsync,
        "CommitUpload" => GrpcUploads.CommitAsync,
        "AbortUpload" => GrpcUploads.AbortAsync,
        "CreateLink" => GrpcLinks.CreateAsync,
        "ListLinks" => GrpcLinks.ListAsync,
        "RevokeLink" => GrpcLinks.RevokeAsync,
        "ListTrash" => GrpcTrash.ListAsync,
        "RestoreTrash" => GrpcTrash.RestoreAsync,
        "DeleteTrash" => GrpcTrash.DeleteAsync,
        "EmptyTrash" => GrpcTrash.EmptyAsync,
        _ => null,
    };
}
