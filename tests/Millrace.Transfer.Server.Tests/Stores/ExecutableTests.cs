namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>A store keeps whether a file is a program.</summary>
public sealed class ExecutableTests : ContractTest
{
    [Theory]
    [EveryStore]
    public async Task Program_is_found_as_one_until_another_version_is_none(bool portable)
    {
        if (OperatingSystem.IsWindows())
        {
            return;
        }

        IFileStore store = Open(portable);
        TransferName name = TransferName.Parse("folder/x");
        foreach (bool? isExecutable in (bool?[])[null, true, null, false])
        {
            StoredFileWriter writer = await store.CreateAsync(name, new CreateFileOptions { IsExecutable = isExecutable }, default);
            await using (writer)
            {
                await writer.Output.WriteAsync(new byte[] { 1 });
                await writer.CommitAsync(null, default);
            }

            if (isExecutable is { } expected)
            {
                Assert.Equal(expected, (await store.FindAsync(name, DigestNeed.IfKnown, default))!.IsExecutable);
                FilePage page = await store.ListAsync(new ListFilesOptions { Folder = name.Folder }, default);
                Assert.True(page.Entries[0].File!.IsExecutable == expected || store is not LocalFileStore);
            }
        }
    }
}
