using System.Globalization;
using System.Xml;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>PROPPATCH: sets and removes properties, all or none (RFC 4918, section 9.2).</summary>
internal sealed class PropPatch(IFileStore store)
{
    public async Task AnswerAsync(HttpContext context, FileTarget target)
    {
        using TransferPass pass = await TransferGuard.Of(context)
            .EnterAsync(context, store, TransferOperation.ChangeProperties, target.Name);
        CancellationToken aborted = context.RequestAborted;
        List<Step> steps = DavDocument.Read(await DavDocument.ReadBodyAsync(context), "propertyupdate", ReadSteps);
        StoredFile? file = target.Name.IsRoot ? null : await pass.Store.FindAsync(target.Name, DigestNeed.IfKnown, aborted);
        if (file is null ? !await pass.Store.FolderExistsAsync(target.Name, aborted) : target.IsFolder)
        {
            throw Errors.NothingThere(target.Name);
        }

        WritePrecondition precondition = WriteConditions.Read(context.Request, target.Name, file);
        int[] status = [.. steps.Select(step => Judge(step, file, pass.State))];
        if (Array.TrueForAll(status, static one => one == StatusCodes.Status200OK))
        {
            status = await ApplyAsync(pass, target.Name, file, precondition, steps, status, aborted);
        }
        else
        {
            // Nothing is done unless all can be.
            status = [.. status.Select(static one => one == StatusCodes.Status200OK ? StatusCodes.Status424FailedDependency : one)];
        }

        await SendAsync(context, target.Name, isFolder: file is null, steps, status);
    }

    private static List<Step> ReadSteps(XmlReader reader)
    {
        var steps = new List<Step>();
        DavDocument.ForEachChild(reader, update =>
        {
            bool isSet = DavDocument.Is(update, "set");
            if (!isSet && !DavDocument.Is(update, "remove"))
            {
                return;
            }

            DavDocument.ForEachChild(update, prop =>
            {
                if (DavDocument.Is(prop, "prop"))
                {
                    DavDocument.ForEachChild(prop, property => steps.Add(ReadStep(property, isSet)));
                }
            });
            if (steps.Count > DavDocument.MaxProperties)
            {
                throw Errors.Invalid($"A propertyupdate has {DavDocument.MaxProperties} properties at most.");
            }
        });
        return steps.Count > 0 ? steps : throw Errors.Invalid("A propertyupdate sets or removes a property at least.");
    }

    private static Step ReadStep(XmlReader property, bool isSet)
    {
        var name = new DavName(property.NamespaceURI, property.LocalName);
        if (!isSet)
        {
            return new Step(name, null, null);
        }

        string xml = DavDocument.ReadElement(property);
        FileTime? time = name.Name is "getlastmodified" or "lastmodified" or "creationdate" or "Win32LastModifiedTime"
            ? ReadTime(DavDocument.Read(System.Text.Encoding.UTF8.GetBytes($"<D:time xmlns:D=\"DAV:\">{xml}</D:time>"), "time", DavDocument.ReadText))
            : null;
        return new Step(name, xml, time);
    }

    private static FileTime? ReadTime(string text)
    {
        text = text.Trim();
        return FileTime.TryParse(text, out FileTime time) ? time
            : HeaderUtilities.TryParseDate(text, out DateTimeOffset date)
                || DateTimeOffset.TryParse(
                    text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out date)
            ? date
            : null;
    }

    /// <summary>Whether a step could be done.</summary>
    private static int Judge(Step step, StoredFile? file, StoreState? state)
    {
        if (step.SetsTime)
        {
            // Finder and Windows set a folder's time too, which has no meaning here.
            return step.Time is null ? StatusCodes.Status409Conflict : StatusCodes.Status200OK;
        }

        if (step.IsCreation ? step.IsSet && step.Time is null : LiveProperty.Find(step.Name) is not null)
        {
            return step.IsCreation ? StatusCodes.Status409Conflict : StatusCodes.Status403Forbidden;
        }

        return state is null ? StatusCodes.Status403Forbidden : StatusCodes.Status200OK;
    }

    private static async ValueTask<int[]> ApplyAsync(
        TransferPass pass,
        TransferName name,
        StoredFile? file,
        WritePrecondition precondition,
        List<Step> steps,
        int[] status,
        CancellationToken cancellationToken)
    {
        using TransferPass.Change change = await pass.BeginAsync(name, LockUse.Content, cancellationToken);
        Step[] kept = [.. steps.Where(static step => !step.SetsTime)];
        if (kept.Length > 0)
        {
            try
            {
                await pass.State!.Properties.ChangeAsync(name, before => Change(before, kept), cancellationToken);
            }
            catch (Refusal refusal) when (refusal.Status == StatusCodes.Status507InsufficientStorage)
            {
                return [.. steps.Select(step =>
                    step.SetsTime ? StatusCodes.Status424FailedDependency : StatusCodes.Status507InsufficientStorage)];
            }
        }

        if (file is not null && steps.FindLast(static step => step.SetsTime) is { Time: { } time })
        {
            await pass.Store.SetModifiedAsync(name, time, precondition, cancellationToken);
        }

        return status;
    }

    private static DeadProperty[] Change(IReadOnlyList<DeadProperty> before, Step[] steps)
    {
        var after = new List<DeadProperty>(before);
        foreach (Step step in steps)
        {
            after.RemoveAll(one => one.DavName == step.Name);
            if (step.Xml is { } xml)
            {
                after.Add(new DeadProperty { Namespace = step.Name.Namespace, Name = step.Name.Name, Xml = xml });
            }
        }

        return [.. after];
    }

    private static Task SendAsync(HttpContext context, TransferName name, bool isFolder, List<Step> steps, int[] status)
    {
        DavWriter xml = DavAnswer.Begin("<D:multistatus xmlns:D=\"DAV:\"><D:response>"u8);
        xml.Href(FileTarget.HrefPrefixOf(context), name, isFolder);
        foreach (IGrouping<int, DavName> group in steps.Zip(status).GroupBy(static one => one.Second, static one => one.First.Name))
        {
            xml.Raw("<D:propstat><D:prop>"u8);
            foreach (DavName property in group.Distinct())
            {
                xml.Empty(property);
            }

            xml.Raw("</D:prop>"u8);
            xml.Status(group.Key);
            if (group.Key == StatusCodes.Status403Forbidden)
            {
                xml.Raw("<D:error><D:cannot-modify-protected-property/></D:error>"u8);
            }

            xml.Raw("</D:propstat>"u8);
        }

        xml.Raw("</D:response></D:multistatus>"u8);
        context.Response.StatusCode = StatusCodes.Status207MultiStatus;
        return DavAnswer.SendAsync(context, xml);
    }

    /// <param name="Name">The property.</param>
    /// <param name="Xml">Its new element; null to remove it.</param>
    /// <param name="Time">The time in it, if it is one.</param>
    private sealed record Step(DavName Name, string? Xml, FileTime? Time)
    {
        public bool IsSet => Xml is not null;

        public bool IsCreation => Name == new DavName(DavName.Dav, "creationdate");

        /// <summary>
        /// Whether it sets when a file was last changed: Windows' name for that, the standard's, and that of ownCloud's and Nextcloud's clients.
        /// </summary>
        public bool SetsTime => IsSet
            && (Name == new DavName(DavName.Microsoft, "Win32LastModifiedTime")
                || Name == new DavName(DavName.Dav, "getlastmodified") || Name == new DavName(DavName.Dav, "lastmodified"));
    }
}
